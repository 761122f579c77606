/** Compares the end of the run with its beginning: nothing may grow that should not. */
import type { ProofRun, ProofSize } from '../proof.ts'
import { formatMegabytes } from './format.ts'
import type { Period } from './period.ts'
import type { Plan } from './plan.ts'

interface Bounds {
  /** Share of the scheduled beacons that are accepted in time. */
  minRate: number
  /** Latency at the end, relative to the beginning, and what is always allowed. */
  latencyRatio: number
  latencySlackMs: number
  /** Memory at the end, relative to the middle: at the beginning caches are still filling. */
  memoryRatio: number
  /** In the first five minutes of each half hour the ID of a beacon is recorded twice. */
  walRatio: number
  /** Views appear within ten seconds, of which counting them takes some. */
  maxBacklogAgeSeconds: number
  maxSegments: number
}

const stated: Bounds = {
  minRate: 0.98,
  latencyRatio: 1.5,
  latencySlackMs: 30,
  memoryRatio: 1.15,
  walRatio: 2,
  maxBacklogAgeSeconds: 10,
  maxSegments: 150,
}

/** At the small size the machine may be shared and stall for seconds, and V8's heap is still growing. */
const bounds: Record<ProofSize, Bounds> = {
  ci: {
    minRate: 0.5,
    latencyRatio: 5,
    latencySlackMs: 5_000,
    memoryRatio: 1.4,
    walRatio: 2,
    maxBacklogAgeSeconds: 30,
    maxSegments: 150,
  },
  stated,
  full: stated,
}

/** How much the buffer grows until it is vacuumed depends on the moment, within this. */
const bufferSlackBytes = 8 * 1024 * 1024

export function checkPeriods(
  { size, check }: Pick<ProofRun, 'size' | 'check'>,
  plan: Plan,
  [beginning, middle, end]: readonly [Period, Period, Period],
): void {
  const bound = bounds[size]
  const periods = { beginning, middle, end }
  for (const [name, { acceptedPerSecond }] of Object.entries(periods)) {
    const minPerSecond = plan.beaconsPerSecond * bound.minRate
    check(
      acceptedPerSecond >= minPerSecond,
      `at least ${minPerSecond.toFixed(0)} beacons/s are accepted in the ${name} of the run: ${acceptedPerSecond.toFixed(0)}`,
    )
  }
  const latencies: [string, (period: Period) => number][] = [
    ['beacon p99', ({ beaconMs }) => beaconMs.p99],
    ['job creation p50', ({ callMs }) => callMs.create.p50],
    ['read p95', ({ callMs }) => callMs.read.p95],
    ['job duration p50', ({ callMs }) => callMs.job.p50],
  ]
  for (const [name, read] of latencies) {
    if (read(beginning) === 0) continue // the machine stalled, and nothing had ended yet
    const maxMs = read(beginning) * bound.latencyRatio + bound.latencySlackMs
    check(
      read(end) <= maxMs,
      `${name} does not grow: ${read(beginning).toFixed(0)} ms → ${read(end).toFixed(0)} ms, at most ${maxMs.toFixed(0)} ms`,
    )
  }
  for (const name of ['api', 'worker'] as const) {
    const memory = ({ apiMemoryBytes, workerMemoryBytes }: Period) =>
      name === 'api' ? apiMemoryBytes : workerMemoryBytes
    check(
      memory(end) <= memory(middle) * bound.memoryRatio,
      `the memory of ${name} does not grow: ${formatMegabytes(memory(middle))} in the middle, ${formatMegabytes(memory(end))} in the end`,
    )
  }
  check(
    end.walRecordsPerBeacon <= beginning.walRecordsPerBeacon * bound.walRatio,
    `WAL per beacon does not grow: ${beginning.walRecordsPerBeacon.toFixed(2)} → ${end.walRecordsPerBeacon.toFixed(2)} records`,
  )
  const maxBufferBytes = beginning.maxBufferBytes * 1.5 + bufferSlackBytes
  check(
    end.maxBufferBytes <= maxBufferBytes,
    `the buffer of views does not grow: ${formatMegabytes(beginning.maxBufferBytes)} → ${formatMegabytes(end.maxBufferBytes)}, ` +
      `at most ${formatMegabytes(maxBufferBytes)}`,
  )
  const backlogAge = Math.max(...Object.values(periods).map(({ maxBacklogAgeSeconds }) => maxBacklogAgeSeconds))
  check(
    backlogAge <= bound.maxBacklogAgeSeconds,
    `no view waits for more than ${bound.maxBacklogAgeSeconds} s: ${backlogAge.toFixed(1)} s`,
  )
  check(
    end.maxSegments <= bound.maxSegments,
    `ClickHouse merges in time, at most ${bound.maxSegments} unmerged files of a table: ${beginning.maxSegments} → ${end.maxSegments}`,
  )
}
