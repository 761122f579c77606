/**
 * The repository in the sandbox. Git runs on it only there: a work tree that an agent has changed can make git execute any
 * command. The result leaves the sandbox as a git bundle.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClaimedTurn } from '../runner-wire/runner-wire.ts'
import { maxBundleBytes } from '../runner-wire/runner-wire.ts'
import type { Sandbox } from './sandbox/sandbox.ts'
import { stripTerminalSequences } from './sandbox/terminal-text.ts'

/** The message can be shown to people. */
export class CheckoutError extends Error {
  override name = 'CheckoutError'
}

const maxMessageBytes = 1024 * 1024
const remote = 'http://127.0.0.1:8080/git'
const bundlePath = '/tmp/unpublished.bundle'
/** Long enough for a code host to restart, and short compared with the deadline of a turn. */
const fetchRetryDelaysSeconds = [1, 3, 10, 30]

export class Checkout {
  readonly #sandbox: Sandbox
  readonly #signal: AbortSignal
  readonly #startTree: string
  /** The commit that the result is based on. */
  readonly baseCommit: string
  /** Another branch that was merged before the agent starts. Undefined: none was, or there was nothing to merge. */
  readonly merge: MergedBranch | undefined

  private constructor(
    sandbox: Sandbox,
    signal: AbortSignal,
    { baseCommit, startTree, merge }: { baseCommit: string; startTree: string; merge?: MergedBranch | undefined },
  ) {
    this.#sandbox = sandbox
    this.#signal = signal
    this.baseCommit = baseCommit
    this.#startTree = startTree
    this.merge = merge
  }

  /** Commits or trees that the changes of the agent are compared with. */
  get comparedWith(): readonly [string, ...string[]] {
    return this.merge?.comparedWith ?? [this.baseCommit]
  }

  /** A shallow clone. With `unpublishedWork`, the turn continues from what the previous turns of the job have done. */
  static async fetch(
    sandbox: Sandbox,
    { startBranch, mergeBranch, unpublishedWork }: Pick<ClaimedTurn, 'startBranch' | 'mergeBranch' | 'unpublishedWork'>,
    signal: AbortSignal,
  ): Promise<Checkout> {
    const git = (...args: string[]) => runGit(sandbox, signal, args)
    await git('init', '--quiet')
    await git('remote', 'add', 'origin', remote)
    if (mergeBranch !== null)
      return new Checkout(sandbox, signal, await fetchMerge(sandbox, signal, startBranch, mergeBranch))
    const refOrCommit = unpublishedWork?.baseCommit ?? `refs/heads/${startBranch}`
    await fetchWithRetries(sandbox, signal, ['--depth=1', '--no-tags', 'origin', refOrCommit])
    const baseCommit = await git('rev-parse', 'FETCH_HEAD')
    const start = unpublishedWork ? await unbundle(sandbox, signal, unpublishedWork.bundle) : baseCommit
    await git('checkout', '--quiet', '--detach', start)
    return new Checkout(sandbox, signal, { baseCommit, startTree: await git('rev-parse', 'HEAD^{tree}') })
  }

  /**
   * One commit on the base with the current files. Null: the turn changed nothing. Trees are compared, so it does not matter
   * whether the agent made commits of its own.
   */
  async bundle(): Promise<Buffer | null> {
    const git = (...args: string[]) => runGit(this.#sandbox, this.#signal, [...safeConfiguration, ...args])
    await run(this.#sandbox, this.#signal, ['sh', '-c', 'rm -f .git/*.lock']) // left by a git that was killed with the agent
    await git('add', '--all')
    const tree = await git('write-tree')
    // A merge is a result even if git could do it alone.
    if (tree === this.#startTree && !this.merge) return null
    const commit = await git('commit-tree', tree, '-p', this.baseCommit, '-m', 'Result')
    await git('update-ref', '--no-deref', 'HEAD', commit)
    const create = ['bundle', 'create', '--quiet', '-', `${this.baseCommit}..HEAD`, 'HEAD']
    return run(this.#sandbox, this.#signal, ['git', ...safeConfiguration, ...create], {
      maxOutputBytes: maxBundleBytes,
    })
  }
}

/** Overrides configuration that the agent may have written to the repository. */
const safeConfiguration = [
  '-c',
  'user.name=Runner',
  '-c',
  'user.email=runner@localhost.invalid',
  '-c',
  'commit.gpgSign=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.autocrlf=false',
]

/** A branch that was merged into the branch that the turn works on. */
export interface MergedBranch {
  /** Its head. */
  commit: string
  /** What git could not merge. These files contain conflict markers. */
  conflicts: readonly string[]
  /** What git made of both branches, with the conflicting files as they are on one or the other. */
  comparedWith: readonly [string, string]
}

/** How far back the common ancestor is searched. The worker fetches as much. */
const maxMergeHistory = 500

/**
 * Merges with the command that the worker uses, which also knows then what the agent did. Only commits and trees of the history are
 * fetched; git requests the blobs that it needs.
 */
async function fetchMerge(sandbox: Sandbox, signal: AbortSignal, startBranch: string, mergeBranch: string) {
  const git = (...args: string[]) => runGit(sandbox, signal, args)
  const startRef = 'refs/colophon/start'
  const mergeRef = 'refs/colophon/merge'
  await fetchWithRetries(sandbox, signal, [
    '--filter=blob:none',
    `--depth=${maxMergeHistory}`,
    '--no-tags',
    'origin',
    `refs/heads/${startBranch}:${startRef}`,
    `refs/heads/${mergeBranch}:${mergeRef}`,
  ])
  const baseCommit = await git('rev-parse', startRef)
  const commit = await git('rev-parse', mergeRef)
  const options = '-c merge.directoryRenames=false merge-tree --write-tree --no-messages --name-only -z'
  const script = `git ${options} "$1" "$2" || [ $? -eq 1 ]` // 1: there are conflicts
  const merged = await run(sandbox, signal, ['sh', '-c', script, 'sh', baseCommit, commit])
  const [tree = '', ...paths] = merged.toString('utf8').split('\0')
  await git('checkout', '--quiet', '--detach', baseCommit)
  await git('read-tree', '--reset', '-u', tree)
  const isUpToDate = tree === (await git('rev-parse', 'HEAD^{tree}'))
  if (isUpToDate) return { baseCommit, startTree: tree }
  const conflicts = paths.filter((path) => path !== '')
  const comparedWith = [
    await replaceFiles(sandbox, signal, tree, baseCommit, conflicts),
    await replaceFiles(sandbox, signal, tree, commit, conflicts),
  ] as const
  return { baseCommit, startTree: tree, merge: { commit, conflicts, comparedWith } }
}

/** A tree with these files as they are in a commit. */
async function replaceFiles(
  sandbox: Sandbox,
  signal: AbortSignal,
  tree: string,
  commit: string,
  paths: readonly string[],
): Promise<string> {
  const script = `export GIT_INDEX_FILE=/tmp/merge-index && tree=$1 commit=$2 && shift 2 && git read-tree "$tree" &&
    git rm --quiet --cached --ignore-unmatch -- "$@" && git ls-tree -r -z "$commit" -- "$@" | git update-index -z --index-info &&
    git write-tree && rm /tmp/merge-index`
  if (paths.length === 0) return tree
  const literalPaths = paths.map((path) => `:(literal)${path}`)
  return (await run(sandbox, signal, ['sh', '-c', script, 'sh', tree, commit, ...literalPaths])).toString('utf8').trim()
}

async function fetchWithRetries(sandbox: Sandbox, signal: AbortSignal, args: readonly string[]): Promise<void> {
  const stallOptions = ['-c', 'http.lowSpeedLimit=1', '-c', 'http.lowSpeedTime=60']
  for (let attempt = 0; ; attempt++) {
    try {
      await runGit(sandbox, signal, [...stallOptions, 'fetch', '--quiet', ...args])
      return
    } catch (error) {
      const delaySeconds = fetchRetryDelaysSeconds[attempt]
      if (!isTransient(error) || delaySeconds === undefined || signal.aborted) throw error
      await sleep(delaySeconds * 1000, undefined, { signal })
    }
  }
}

/** The code host or the network is unavailable. A missing branch or a rejected token is permanent. */
const isTransient = (error: unknown) =>
  error instanceof CheckoutError &&
  /returned error: (?:5\d\d|429)|RPC failed|early EOF|hung up|Empty reply|Failed to connect|too slow/i.test(
    error.message,
  )

/** Uses `bundle unbundle`, because the sandbox does not allow git's file protocol. */
async function unbundle(sandbox: Sandbox, signal: AbortSignal, bundle: string): Promise<string> {
  await run(sandbox, signal, ['sh', '-c', `cat > ${bundlePath}`], { input: Buffer.from(bundle, 'base64') })
  const [head = ''] = (await runGit(sandbox, signal, ['bundle', 'unbundle', bundlePath])).split(' ')
  await run(sandbox, signal, ['rm', bundlePath])
  return head
}

const runGit = async (sandbox: Sandbox, signal: AbortSignal, args: readonly string[]): Promise<string> =>
  (await run(sandbox, signal, ['git', ...args])).toString('utf8').trim()

async function run(
  sandbox: Sandbox,
  signal: AbortSignal,
  command: readonly [string, ...string[]],
  { input = '', maxOutputBytes = maxMessageBytes }: { input?: string | Buffer; maxOutputBytes?: number } = {},
): Promise<Buffer> {
  const { end, output, errorOutput } = await sandbox.run({ command, maxOutputBytes }, { input, signal })
  if (end.kind === 'exited' && end.code === 0) return output
  const message = stripTerminalSequences(errorOutput.toString('utf8')).trim().slice(-1_000)
  switch (end.kind) {
    case 'too_much_output':
      throw new CheckoutError(`The result is larger than ${maxOutputBytes} bytes.`)
    case 'sandbox_ended':
      throw new CheckoutError(`The sandbox ended while git was running: ${end.reason}.`)
    default:
      throw new CheckoutError(`Git failed in the repository: ${message || end.kind}`)
  }
}
