/** Parses the output of `git diff` into files, hunks and lines. Skips what it does not understand instead of failing. */

export interface ChangedFile {
  path: string
  /** The previous path, if the file was renamed. */
  oldPath: string | null
  kind: 'added' | 'deleted' | 'renamed' | 'changed'
  isBinary: boolean
  hunks: Hunk[]
  added: number
  removed: number
}

export interface Hunk {
  /** Git's hunk header: the line ranges before and after, and the heading above them. */
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
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    const file = files.at(-1)
    if (line.startsWith('diff --git ')) files.push(newFile(line))
    else if (file && hunkHeader.test(line)) index = readHunk(lines, index, file)
    else if (file) readFileHeader(line, file)
  }
  return files
}

const newFile = (line: string): ChangedFile => ({
  path: pathFromGitLine(line),
  oldPath: null,
  kind: 'changed',
  isBinary: false,
  hunks: [],
  added: 0,
  removed: 0,
})

/** Used only for files without a `+++` line: empty, binary, or with a changed mode. Both halves are the same path. */
function pathFromGitLine(line: string): string {
  const paths = line.slice('diff --git '.length)
  return stripPrefix(paths.slice(0, (paths.length - 1) / 2))
}

function readFileHeader(line: string, file: ChangedFile): void {
  if (line.startsWith('new file')) file.kind = 'added'
  else if (line.startsWith('deleted file')) file.kind = 'deleted'
  else if (line.startsWith('rename from ')) {
    file.kind = 'renamed'
    file.oldPath = unquote(line.slice('rename from '.length))
  } else if (line.startsWith('rename to ')) file.path = unquote(line.slice('rename to '.length))
  else if (line.startsWith('--- ') && line !== '--- /dev/null') file.path = stripPrefix(line.slice(4))
  else if (line.startsWith('+++ ') && line !== '+++ /dev/null') file.path = stripPrefix(line.slice(4))
  else if (line.startsWith('Binary files ') || line === 'GIT binary patch') file.isBinary = true
}

/** Reads as many lines as the header says, because a removed line can look like a file header. Returns the last index. */
function readHunk(lines: readonly string[], start: number, file: ChangedFile): number {
  const header = lines[start] ?? ''
  const [, oldStart, oldCount = '1', newStart, newCount = '1'] = hunkHeader.exec(header) ?? []
  let oldNumber = Number(oldStart)
  let newNumber = Number(newStart)
  let oldLeft = Number(oldCount)
  let newLeft = Number(newCount)
  const hunk: Hunk = { header, lines: [] }
  let index = start
  while (index + 1 < lines.length && (oldLeft > 0 || newLeft > 0 || lines[index + 1]?.startsWith('\\'))) {
    const line = lines[++index] ?? ''
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
  return index
}

const stripPrefix = (path: string): string =>
  unquote(path)
    .replace(/^[ab]\//, '')
    .replace(/\t$/, '')

/** Git quotes paths with special characters and writes their bytes as octal escapes. */
function unquote(path: string): string {
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
