/** Scripted work that a proof can pause: while a turn is paused, its agent looks busy, for as long as the proof needs. */
import type { ClaimedTurn } from '../../server/src/runner-wire/runner-wire.ts'
import type { ExecuteTurn } from './test-runner.ts'

export interface PausedTurn {
  /** Resolves when a runner reaches the pause. */
  reached: Promise<ClaimedTurn>
  release(): void
}

interface Pause {
  prompt: string
  at: 'claimed' | 'finished'
  obeysStop: boolean
  reached: PromiseWithResolvers<ClaimedTurn>
  released: PromiseWithResolvers<void>
}

export interface PausableWork {
  work: ExecuteTurn
  /** Every attempt that a runner claimed, in order. */
  readonly claims: readonly ClaimedTurn[]
  /**
   * Pauses the next attempt with this prompt, once: when it is claimed, or when its work is finished and not yet reported. With
   * `obeysStop: false`, the attempt ignores a stop and reports its result.
   */
  pauseNext(prompt: string, at: Pause['at'], options?: { obeysStop: boolean }): PausedTurn
  /** Releases all current and future pauses. */
  releaseAll(): void
}

export function pausableWork(work: ExecuteTurn): PausableWork {
  const claims: ClaimedTurn[] = []
  const pauses: Pause[] = []
  const allReleased = Promise.withResolvers<void>()

  /** Returns whether the work continues. */
  const waitIfPaused = async (at: Pause['at'], turn: ClaimedTurn, stopped: AbortSignal): Promise<boolean> => {
    const index = pauses.findIndex((pause) => pause.at === at && pause.prompt === turn.prompt)
    const [pause] = index < 0 ? [] : pauses.splice(index, 1)
    if (!pause) return !stopped.aborted
    pause.reached.resolve(turn)
    if (!pause.obeysStop) {
      await Promise.race([pause.released.promise, allReleased.promise])
      return true
    }
    await Promise.race([pause.released.promise, allReleased.promise, untilAborted(stopped)])
    return !stopped.aborted
  }

  return {
    claims,
    async work(turn, stopped) {
      claims.push(turn)
      if (!(await waitIfPaused('claimed', turn, stopped))) return { kind: 'stopped' }
      const report = await work(turn, stopped).catch((error: unknown) => ({
        kind: 'agent_failed' as const,
        message: String(error).slice(0, 2_000),
      }))
      return (await waitIfPaused('finished', turn, stopped)) ? report : { kind: 'stopped' }
    },
    pauseNext(prompt, at, { obeysStop } = { obeysStop: true }) {
      const pause = { prompt, at, obeysStop, reached: Promise.withResolvers<ClaimedTurn>() }
      const released = Promise.withResolvers<void>()
      pauses.push({ ...pause, released })
      return { reached: pause.reached.promise, release: released.resolve }
    },
    releaseAll: allReleased.resolve,
  }
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  signal.aborted
    ? Promise.resolve()
    : new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
