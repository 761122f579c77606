/**
 * The repository inside the box. Git is run on it there and nowhere else: a work tree that an agent has touched can make git
 * execute what it likes. What comes out is a bundle of commits.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClaimedTurn } from '../runner-wire/runner-wire.ts'
import { maxBundleBytes } from '../runner-wire/runner-wire.ts'
import type { Box } from './sandbox/box.ts'
import { plainText } from './sandbox/plain-text.ts'

/** In words that a person can be shown. */
export class CheckoutError extends Error {
  override name = 'CheckoutError'
}

const maxMessageBytes = 1024 * 1024
const remote = 'http://127.0.0.1:8080/git'
const earlierBundle = '/tmp/earlier.bundle'
/** A code host that restarts is back by then; the turn's own deadline is far away. */
const fetchAgainAfterSeconds = [1, 3, 10, 30]

export class Checkout {
  readonly #box: Box
  readonly #signal: AbortSignal
  readonly #startTree: string
  /** What the result is counted from. */
  readonly baseCommit: string

  private constructor(
    box: Box,
    signal: AbortSignal,
    { baseCommit, startTree }: Record<'baseCommit' | 'startTree', string>,
  ) {
    this.#box = box
    this.#signal = signal
    this.baseCommit = baseCommit
    this.#startTree = startTree
  }

  /** Shallow: history is the code host's. With `earlier`, the work goes on from what the job's turns did so far. */
  static async fetch(
    box: Box,
    { startBranch, earlier }: Pick<ClaimedTurn, 'startBranch' | 'earlier'>,
    signal: AbortSignal,
  ): Promise<Checkout> {
    const git = (...args: string[]) => runGit(box, signal, args)
    await git('init', '--quiet')
    await git('remote', 'add', 'origin', remote)
    await fetchPatiently(box, signal, earlier?.baseCommit ?? `refs/heads/${startBranch}`)
    const baseCommit = await git('rev-parse', 'FETCH_HEAD')
    await git('checkout', '--quiet', '--detach', earlier ? await unbundle(box, signal, earlier.bundle) : baseCommit)
    return new Checkout(box, signal, { baseCommit, startTree: await git('rev-parse', 'HEAD^{tree}') })
  }

  /**
   * One commit on the base with everything as it is now; null: as the turn found it. Trees are compared, so it does not
   * matter whether the agent kept to not committing.
   */
  async bundle(): Promise<Buffer | null> {
    const git = (...args: string[]) => runGit(this.#box, this.#signal, [...ourConfiguration, ...args])
    await run(this.#box, this.#signal, ['sh', '-c', 'rm -f .git/*.lock']) // of a git that ended with the engine
    await git('add', '--all')
    const tree = await git('write-tree')
    if (tree === this.#startTree) return null
    const commit = await git('commit-tree', tree, '-p', this.baseCommit, '-m', 'Result')
    await git('update-ref', '--no-deref', 'HEAD', commit)
    const create = ['bundle', 'create', '--quiet', '-', `${this.baseCommit}..HEAD`, 'HEAD']
    return run(this.#box, this.#signal, ['git', ...ourConfiguration, ...create], { maxOutputBytes: maxBundleBytes })
  }
}

/** Before what the agent may have put into the repository's own. */
const ourConfiguration = [
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

async function fetchPatiently(box: Box, signal: AbortSignal, wanted: string): Promise<void> {
  const stalled = ['-c', 'http.lowSpeedLimit=1', '-c', 'http.lowSpeedTime=60']
  for (let tries = 0; ; tries++) {
    try {
      await runGit(box, signal, [...stalled, 'fetch', '--quiet', '--depth=1', '--no-tags', 'origin', wanted])
      return
    } catch (error) {
      const pauseSeconds = fetchAgainAfterSeconds[tries]
      if (!isPassing(error) || pauseSeconds === undefined || signal.aborted) throw error
      await sleep(pauseSeconds * 1000, undefined, { signal })
    }
  }
}

/** The host, or the way to it, is away; a missing branch or a refused token stays what it is. */
const isPassing = (error: unknown) =>
  error instanceof CheckoutError &&
  /returned error: (?:5\d\d|429)|RPC failed|early EOF|hung up|Empty reply|Failed to connect|too slow/i.test(
    error.message,
  )

/** By `bundle unbundle`: a fetch from a file is a protocol that the box does not allow. */
async function unbundle(box: Box, signal: AbortSignal, bundle: string): Promise<string> {
  await run(box, signal, ['sh', '-c', `cat > ${earlierBundle}`], { input: Buffer.from(bundle, 'base64') })
  const [head = ''] = (await runGit(box, signal, ['bundle', 'unbundle', earlierBundle])).split(' ')
  await run(box, signal, ['rm', earlierBundle])
  return head
}

const runGit = async (box: Box, signal: AbortSignal, args: readonly string[]): Promise<string> =>
  (await run(box, signal, ['git', ...args])).toString('utf8').trim()

async function run(
  box: Box,
  signal: AbortSignal,
  command: readonly [string, ...string[]],
  { input = '', maxOutputBytes = maxMessageBytes }: { input?: string | Buffer; maxOutputBytes?: number } = {},
): Promise<Buffer> {
  const { end, output, errorOutput } = await box.run({ command, maxOutputBytes }, { input, signal })
  if (end.kind === 'exited' && end.code === 0) return output
  const said = plainText(errorOutput.toString('utf8')).trim().slice(-1_000)
  switch (end.kind) {
    case 'too_much_output':
      throw new CheckoutError(`What was changed is larger than ${maxOutputBytes} bytes.`)
    case 'box_ended':
      throw new CheckoutError(`The box ended while git ran: ${end.reason}.`)
    default:
      throw new CheckoutError(`Git failed in the repository: ${said || end.kind}`)
  }
}
