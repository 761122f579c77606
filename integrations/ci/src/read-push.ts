import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Push, PushedCommit } from './describe-push.ts'

const run = promisify(execFile)
const maxBuffer = 16 * 1024 * 1024
const maxCommits = 200
const noCommit = /^0*$/

export interface PushRange {
  repository: string
  ref: string
  /** Empty or zeros: the branch is new. */
  before: string
  after: string
}

/** From the clone in the current directory. If the commit before the push is not in it, only the last commit is described. */
export async function readPush(range: PushRange): Promise<Push> {
  const before = !noCommit.test(range.before) && (await isKnown(range.before)) ? range.before : null
  const commits =
    before === null ? ['--max-count=1', range.after] : [`--max-count=${maxCommits}`, `${before}..${range.after}`]
  const from = before ?? ((await isKnown(`${range.after}^`)) ? `${range.after}^` : emptyTree)
  return {
    repository: range.repository,
    ref: range.ref,
    before,
    after: range.after,
    commits: parseCommits(await git('log', '--format=%H%x00%P%x00%an%x00%ae%x00%B%x01', ...commits)),
    changedFiles: (await git('diff', '--name-only', '-z', from, range.after)).split('\0').filter((file) => file !== ''),
    diffStat: await git('diff', '--stat=100', '--stat-count=50', from, range.after),
  }
}

/** The hash of a tree without files, in every repository. */
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

const git = async (...args: readonly string[]): Promise<string> =>
  (await run('git', ['--no-pager', ...args, '--'], { maxBuffer, encoding: 'utf8' })).stdout

const isKnown = (commit: string): Promise<boolean> =>
  run('git', ['cat-file', '-e', `${commit}^{commit}`]).then(
    () => true,
    () => false,
  )

const parseCommits = (log: string): PushedCommit[] =>
  log
    .split('\x01')
    .map((entry) => entry.replace(/^\n/, '').split('\0'))
    .filter((fields) => fields.length === 5)
    .map(([id = '', parents = '', author = '', authorEmail = '', message = '']) => ({
      id,
      author,
      authorEmail,
      message,
      isMerge: parents.includes(' '),
    }))
