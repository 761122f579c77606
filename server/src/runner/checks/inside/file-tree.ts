/** The repository before and after the turn. Git runs here, in the sandbox, on the work tree that the agent changed. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export interface FileTree {
  /** All files. */
  files: readonly string[]
  /** Whether there is such a file or directory. */
  has(path: string): boolean
  /** Undefined: the file does not exist, or is longer than 1 MiB. */
  read(path: string): string | undefined
}

const maxPageBytes = 1024 * 1024

const git = (...args: string[]): Buffer =>
  execFileSync('git', args, { maxBuffer: 256 * 1024 * 1024, stdio: ['ignore', 'pipe', 'ignore'] })
/** As in the allow list of the server, whose extensions are not case-sensitive. */
const pageFormats = /\.(?:md|mdx|markdown|rst|adoc|asciidoc)$/i
const parseNames = (output: Buffer): string[] => output.toString('utf8').split('\0').filter(Boolean)

/** The files and their directories, because a link may point to a directory. */
function withDirectories(files: readonly string[]): Set<string> {
  const all = new Set(files)
  for (const file of files)
    for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1)) all.add(file.slice(0, end))
  return all
}

export function openWorkTree(): FileTree {
  const files = parseNames(git('ls-files', '-z', '--cached', '--others', '--exclude-standard'))
  const all = withDirectories(files)
  return {
    files,
    has: (path) => all.has(path),
    read: (path) => readPageText(() => readFileSync(path)),
  }
}

export function openCommitTree(commit: string): FileTree {
  const files = parseNames(git('ls-tree', '-r', '-z', '--name-only', commit))
  const all = withDirectories(files)
  const changed = new Set(parseNames(git('diff', '--name-only', '--no-renames', '-z', commit, '--')))
  return {
    files,
    has: (path) => all.has(path),
    read(path) {
      if (!all.has(path)) return undefined
      // Git takes milliseconds for each file, and the pages of a site can be thousands.
      return readPageText(() => (changed.has(path) ? git('cat-file', 'blob', `${commit}:${path}`) : readFileSync(path)))
    },
  }
}

/** Pages that were added or edited since the commit, in any format. Deleted pages are not listed. */
export function listChangedPages(baseCommit: string): string[] {
  const tracked = parseNames(git('diff', '--name-only', '--no-renames', '--diff-filter=AM', '-z', baseCommit, '--'))
  const added = parseNames(git('ls-files', '-z', '--others', '--exclude-standard'))
  return [...new Set([...tracked, ...added])].filter((path) => pageFormats.test(path)).toSorted()
}

function readPageText(read: () => Buffer): string | undefined {
  try {
    const bytes = read()
    return bytes.length <= maxPageBytes ? bytes.toString('utf8') : undefined
  } catch {
    return undefined
  }
}
