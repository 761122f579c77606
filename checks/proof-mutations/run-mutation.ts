import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { createMutatedCheckout } from './mutated-checkout.ts'
import type { Mutation } from './mutation.ts'

export interface MutationResult {
  /** The expected failure, as it was printed. Undefined: the mutation is not caught. */
  failure: string | undefined
  seconds: number
  /** The last lines, which show why a mutation is not caught. */
  output: string
}

/** For a bug that makes a proof wait forever. At this size, the slowest proof takes 5 minutes, and 15 on a busy machine. */
const timeoutMs = 30 * 60_000
const cleanUpTimeoutMs = 5 * 60_000
const maxOutputLines = 40

/** Runs what must fail, in a copy of the checkout with the bug, until it fails as expected or ends. */
export async function runMutation(mutation: Mutation, signal: AbortSignal): Promise<MutationResult> {
  const startedAt = performance.now()
  const { directory, remove } = await createMutatedCheckout(mutation)
  const child = spawn(process.execPath, argumentsFor(mutation), {
    cwd: directory,
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const timers = [setTimeout(() => stop(), timeoutMs)]
  const stop = () => {
    child.kill('SIGTERM') // a proof then cleans up
    timers.push(setTimeout(() => child.kill('SIGKILL'), cleanUpTimeoutMs))
  }
  signal.addEventListener('abort', stop)
  const output: string[] = []
  let failure: string | undefined
  const readLine = (line: string) => {
    output.push(line)
    if (output.length > maxOutputLines) output.shift()
    if (failure !== undefined) return
    failure = findExpectedFailure(line, mutation)
    if (failure !== undefined) stop() // the other checks would not change the result
  }
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', readLine)
  try {
    await once(child, 'close')
  } finally {
    signal.removeEventListener('abort', stop)
    for (const timer of timers) clearTimeout(timer)
    await remove()
  }
  return { failure, seconds: Math.round((performance.now() - startedAt) / 1000), output: output.join('\n') }
}

/** The seed is fixed, so that every run makes the same random choices. */
function argumentsFor({ caughtBy }: Mutation): string[] {
  if ('proof' in caughtBy) {
    const { proof, args = [] } = caughtBy
    return ['proofs/prove.ts', proof, '--ci', '--seed', '1', ...(args.length > 0 ? ['--', ...args] : [])]
  }
  const project = caughtBy.test.endsWith('.integration.test.ts') ? 'integration' : 'unit'
  return ['node_modules/vitest/vitest.mjs', 'run', '--retry=0', '--project', project, caughtBy.test]
}

/** A crash has another message, and a line of progress is not a failure. */
function findExpectedFailure(line: string, { caughtBy, failure }: Mutation): string | undefined {
  const [, printed] = line.split('proof' in caughtBy ? 'FAILED: ' : ' FAIL  ')
  return printed?.includes(failure) ? printed : undefined
}
