/** Scripted work that the proof can hold: while a turn is held, its agent is at work, for as long as the proof likes. */
import type { ClaimedTurn } from '../../server/src/runner-wire/runner-wire.ts'
import type { Work } from './test-runner.ts'

export interface HeldTurn {
  /** A runner is there, and waits. */
  reached: Promise<ClaimedTurn>
  release(): void
}

interface Hold {
  prompt: string
  at: 'claimed' | 'worked'
  hearsStop: boolean
  reached: PromiseWithResolvers<ClaimedTurn>
  released: PromiseWithResolvers<void>
}

export interface HeldWork {
  work: Work
  /** Every try that a runner took up, in order. */
  readonly claims: readonly ClaimedTurn[]
  /**
   * The next try with this prompt, once: when it is claimed, or when its work is done and not yet reported. One that does not
   * hear a stop reports its result all the same.
   */
  hold(prompt: string, at: Hold['at'], options?: { hearsStop: boolean }): HeldTurn
  /** Of everything, for good. */
  letGo(): void
}

export function heldWork(work: Work): HeldWork {
  const claims: ClaimedTurn[] = []
  const holds: Hold[] = []
  const lettingGo = Promise.withResolvers<void>()

  /** Says whether the work goes on. */
  const pass = async (at: Hold['at'], turn: ClaimedTurn, stopped: AbortSignal): Promise<boolean> => {
    const index = holds.findIndex((hold) => hold.at === at && hold.prompt === turn.prompt)
    const [hold] = index < 0 ? [] : holds.splice(index, 1)
    if (!hold) return !stopped.aborted
    hold.reached.resolve(turn)
    if (!hold.hearsStop) {
      await Promise.race([hold.released.promise, lettingGo.promise])
      return true
    }
    await Promise.race([hold.released.promise, lettingGo.promise, untilAborted(stopped)])
    return !stopped.aborted
  }

  return {
    claims,
    async work(turn, stopped) {
      claims.push(turn)
      if (!(await pass('claimed', turn, stopped))) return { kind: 'stopped' }
      const report = await work(turn, stopped).catch((error: unknown) => ({
        kind: 'agent_failed' as const,
        message: String(error).slice(0, 2_000),
      }))
      return (await pass('worked', turn, stopped)) ? report : { kind: 'stopped' }
    },
    hold(prompt, at, { hearsStop } = { hearsStop: true }) {
      const hold = { prompt, at, hearsStop, reached: Promise.withResolvers<ClaimedTurn>() }
      const released = Promise.withResolvers<void>()
      holds.push({ ...hold, released })
      return { reached: hold.reached.promise, release: released.resolve }
    },
    letGo: lettingGo.resolve,
  }
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  signal.aborted
    ? Promise.resolve()
    : new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
