/** A diff as `git diff` writes it, read into files, parts and lines. What is not understood is left out, never an error. */

export interface ChangedFile {
  path: string
  /** Where it was before, if that is another path. */
  oldPath: string | null
  kind: 'added' | 'deleted' | 'renamed' | 'changed'
  isBinary: boolean
  hunks: Hunk[]
  added: number
  removed: number
}

export interface Hunk {
  /** Of git: the lines before and after, and the heading above them. */
  header: string
  lines: DiffLine[]
}

export interface DiffLine {
  kind: 'added' | 'removed' | 'same' | 'note'
  oldNumber: number | null
  newNumber: number | null
  text: string
}

const hunkHeader = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/

export function parseDiff(diff: string): ChangedFile[] {
  const files: ChangedFile[] = []
  const lines = diff.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const file = files.at(-1)
    if (line.startsWith('diff --git ')) files.push(newFile(line))
    else if (file && hunkHeader.test(line)) at = readHunk(lines, at, file)
    else if (file) readHead(line, file)
  }
  return files
}

const newFile = (line: string): ChangedFile => ({
  path: pathOfGitLine(line),
  oldPath: null,
  kind: 'changed',
  isBinary: false,
  hunks: [],
  added: 0,
  removed: 0,
})

/** Only for files without `+++`: empty, binary, or changed in their mode alone; both halves are the same path. */
function pathOfGitLine(line: string): string {
  const paths = line.slice('diff --git '.length)
  return withoutPrefix(paths.slice(0, (paths.length - 1) / 2))
}

function readHead(line: string, file: ChangedFile): void {
  if (line.startsWith('new file')) file.kind = 'added'
  else if (line.startsWith('deleted file')) file.kind = 'deleted'
  else if (line.startsWith('rename from ')) {
    file.kind = 'renamed'
    file.oldPath = unquoted(line.slice('rename from '.length))
  } else if (line.startsWith('rename to ')) file.path = unquoted(line.slice('rename to '.length))
  else if (line.startsWith('--- ') && line !== '--- /dev/null') file.path = withoutPrefix(line.slice(4))
  else if (line.startsWith('+++ ') && line !== '+++ /dev/null') file.path = withoutPrefix(line.slice(4))
  else if (line.startsWith('Binary files ') || line === 'GIT binary patch') file.isBinary = true
}

/** As many lines as its header says: a removed line may look like the head of a file. */
function readHunk(lines: readonly string[], start: number, file: ChangedFile): number {
  const header = lines[start] ?? ''
  const [, oldStart, oldCount = '1', newStart, newCount = '1'] = hunkHeader.exec(header) ?? []
  let oldNumber = Number(oldStart)
  let newNumber = Number(newStart)
  let oldLeft = Number(oldCount)
  let newLeft = Number(newCount)
  const hunk: Hunk = { header, lines: [] }
  let at = start
  while (at + 1 < lines.length && (oldLeft > 0 || newLeft > 0 || lines[at + 1]?.startsWith('\\'))) {
    const line = lines[++at] ?? ''
    const text = line.slice(1)
    if (line.startsWith('+')) {
      hunk.lines.push({ kind: 'added', oldNumber: null, newNumber: newNumber++, text })
      newLeft--
      file.added++
    } else if (line.startsWith('-')) {
      hunk.lines.push({ kind: 'removed', oldNumber: oldNumber++, newNumber: null, text })
      oldLeft--
      file.removed++
    } else if (line.startsWith('\\')) {
      hunk.lines.push({ kind: 'note', oldNumber: null, newNumber: null, text: text.trim() })
    } else {
      hunk.lines.push({ kind: 'same', oldNumber: oldNumber++, newNumber: newNumber++, text })
      oldLeft--
      newLeft--
    }
  }
  file.hunks.push(hunk)
  return at
}

const withoutPrefix = (path: string): string =>
  unquoted(path)
    .replace(/^[ab]\//, '')
    .replace(/\t$/, '')

/** Git quotes a path that has odd characters, byte by byte. */
function unquoted(path: string): string {
  if (!path.startsWith('"')) return path
  const bytes: number[] = []
  const inner = path.replace(/^"|"$/g, '')
  for (const [part, octal, escaped] of inner.matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8))
    else if (escaped !== undefined) bytes.push(...new TextEncoder().encode(escapes[escaped] ?? escaped))
    else bytes.push(...new TextEncoder().encode(part))
  }
  return new TextDecoder().decode(new Uint8Array(bytes))
}

const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r' }
