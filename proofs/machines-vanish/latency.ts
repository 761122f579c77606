/** What clients observed: every request with its time and result, and how long it took to recover from a fault. */

export interface RequestSample {
  kind: 'views' | 'create' | 'read'
  /** The name of the machine. */
  replica: string
  projectId: string
  startedAtMs: number
  durationMs: number
  ok: boolean
}

const windowMs = 5_000
const stepMs = 250
export const goalMs = 2_000

/** 0 if there are no samples. */
export function percentileMs(samples: readonly RequestSample[], percentile: number): number {
  const sorted = samples.map(({ durationMs }) => durationMs).sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percentile) / 100) - 1)] ?? 0
}

/**
 * How long after the fault the first window of five seconds begins from which on, in every window, at most one request in a
 * hundred fails or takes longer than the goal. Undefined: there is none before the end.
 */
export function recoverySeconds(
  samples: readonly RequestSample[],
  faultAtMs: number,
  endAtMs: number,
): number | undefined {
  let recoveredAtMs: number | undefined
  for (let fromMs = endAtMs - windowMs; fromMs >= faultAtMs; fromMs -= stepMs) {
    const inWindow = samples.filter(({ startedAtMs }) => startedAtMs >= fromMs && startedAtMs < fromMs + windowMs)
    const bad = inWindow.filter(({ ok, durationMs }) => !ok || durationMs >= goalMs).length
    if (inWindow.length === 0 || bad > inWindow.length / 100) break
    recoveredAtMs = fromMs
  }
  return recoveredAtMs === undefined ? undefined : (recoveredAtMs - faultAtMs) / 1000
}
