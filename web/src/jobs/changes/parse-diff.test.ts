import { expect, test } from 'vitest'
import { parseDiff } from './parse-diff.ts'

const diff = String.raw`diff --git a/docs/a.md b/docs/a.md
index 1..2 100644
--- a/docs/a.md
+++ b/docs/a.md
@@ -3,3 +3,4 @@ # Heading
 same
--- a removed line that looks like a header
+++ an added line
+more
 end
\ No newline at end of file
@@ -20 +21 @@
-x
+y
diff --git a/new.md b/new.md
new file mode 100644
--- /dev/null
+++ b/new.md
@@ -0,0 +1 @@
+<b>text</b>
diff --git a/old.md b/old.md
deleted file mode 100644
--- a/old.md
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/from.md b/to.md
similarity index 100%
rename from from.md
rename to to.md
diff --git a/pic of it.png b/pic of it.png
index 1..2 100644
Binary files a/pic of it.png and b/pic of it.png differ
diff --git "a/\303\274ber.md" "b/\303\274ber.md"
--- "a/\303\274ber.md"
+++ "b/\303\274ber.md"
@@ -1 +1 @@
-a
+b
`

test('parses files with their kind of change and line counts', () => {
  expect(parseDiff(diff).map(({ hunks: _hunks, ...file }) => file)).toEqual([
    { path: 'docs/a.md', oldPath: null, kind: 'changed', isBinary: false, added: 3, removed: 2 },
    { path: 'new.md', oldPath: null, kind: 'added', isBinary: false, added: 1, removed: 0 },
    { path: 'old.md', oldPath: null, kind: 'deleted', isBinary: false, added: 0, removed: 1 },
    { path: 'to.md', oldPath: 'from.md', kind: 'renamed', isBinary: false, added: 0, removed: 0 },
    { path: 'pic of it.png', oldPath: null, kind: 'changed', isBinary: true, added: 0, removed: 0 },
    { path: 'über.md', oldPath: null, kind: 'changed', isBinary: false, added: 1, removed: 1 },
  ])
})

test('numbers lines on both sides', () => {
  const [first] = parseDiff(diff)
  expect(
    first?.hunks[0]?.lines.map(({ kind, oldNumber, newNumber, text }) => [kind, oldNumber, newNumber, text]),
  ).toEqual([
    ['same', 3, 3, 'same'],
    ['removed', 4, null, '-- a removed line that looks like a header'],
    ['added', null, 4, '++ an added line'],
    ['added', null, 5, 'more'],
    ['same', 5, 6, 'end'],
    ['note', null, null, 'No newline at end of file'],
  ])
  expect(first?.hunks[1]?.header).toBe('@@ -20 +21 @@')
})

test('finds no files in text that is not a diff', () => {
  expect(parseDiff('')).toEqual([])
  expect(parseDiff('text\n@@ -1 +1 @@\n+x')).toEqual([])
  expect(parseDiff('diff --git a/a b/a\n@@ -1,9 +1,9 @@\n+cut')[0]).toMatchObject({ path: 'a', added: 1 })
})
