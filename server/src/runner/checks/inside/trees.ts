/** The repository before and after the turn. Git runs here, in the box, on the tree that the agent had. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export interface Tree {
  has(path: string): boolean
  /** Undefined: it is not there, or too long to be a page. */
  read(path: string): string | undefined
}

const maxPageBytes = 1024 * 1024

const git = (...args: string[]): Buffer =>
  execFileSync('git', args, { maxBuffer: 256 * 1024 * 1024, stdio: ['ignore', 'pipe', 'ignore'] })
const names = (output: Buffer): string[] => output.toString('utf8').split('\0').filter(Boolean)

/** With the directories: a link may lead to one. */
function withDirectories(files: readonly string[]): Set<string> {
  const all = new Set(files)
  for (const file of files)
    for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1)) all.add(file.slice(0, at))
  return all
}

export function workTree(): Tree {
  const files = withDirectories(names(git('ls-files', '-z', '--cached', '--others', '--exclude-standard')))
  return {
    has: (path) => files.has(path),
    read: (path) => readable(() => readFileSync(path)),
  }
}

export function commitTree(commit: string): Tree {
  const files = withDirectories(names(git('ls-tree', '-r', '-z', '--name-only', commit)))
  return {
    has: (path) => files.has(path),
    read: (path) => readable(() => git('cat-file', 'blob', `${commit}:${path}`)),
  }
}

/** That are there now, and are not as they were. */
export function changedPages(baseCommit: string): string[] {
  const tracked = names(git('diff', '--name-only', '--no-renames', '--diff-filter=AM', '-z', baseCommit, '--'))
  const added = names(git('ls-files', '-z', '--others', '--exclude-standard'))
  return [...new Set([...tracked, ...added])].filter((path) => /\.mdx?$/.test(path)).toSorted()
}

function readable(read: () => Buffer): string | undefined {
  try {
    const bytes = read()
    return bytes.length <= maxPageBytes ? bytes.toString('utf8') : undefined
  } catch {
    return undefined
  }
}
