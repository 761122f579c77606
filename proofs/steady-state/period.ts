/** Sums up the samples of a part of the run: its beginning, its middle or its end. */
import type { TimedCall } from './api-load.ts'
import { type MeasuredProcess, measuredProcesses, type Sample } from './sample.ts'

export interface Period {
  seconds: number
  acceptedPerSecond: number
  /** Median over the samples: on a shared machine, one slow moment must not decide. */
  beaconMs: { p50: number; p95: number; p99: number }
  callMs: Record<TimedCall, { p50: number; p95: number }>
  apiMemoryBytes: number
  workerMemoryBytes: number
  walBytesPerSecond: number
  walBytesPerBeacon: number
  /** Unlike the bytes, not larger after each checkpoint. */
  walRecordsPerBeacon: number
  /** The largest size of the tables in which views wait for ClickHouse. */
  maxBufferBytes: number
  maxBacklogAgeSeconds: number
  maxConnections: number
  /** The largest number of any ClickHouse table. */
  maxSegments: number
  /** Of 1 for each core. */
  cpuShares: Record<MeasuredProcess, number>
}

/** Three periods of the same length. The first sample only says what was there before. */
export function splitIntoPeriods(samples: readonly Sample[]): [Period, Period, Period] {
  const third = Math.floor((samples.length - 1) / 3)
  const period = (index: number) => summarize(samples.slice(index * third, (index + 1) * third + 1))
  return [period(0), period(1), period(2)]
}

export function summarize(samples: readonly Sample[]): Period {
  const first = samples[0]
  const last = samples.at(-1)
  const measured = samples.slice(1)
  if (!first || !last || measured.length === 0) throw new Error('a period needs at least two samples')
  const seconds = (last.atMs - first.atMs) / 1000
  const accepted = last.beacons.accepted - first.beacons.accepted
  const medianOf = (read: (sample: Sample) => number) => quantile(measured.map(read), 0.5)
  const maxOf = (read: (sample: Sample) => number) => Math.max(...measured.map(read))
  const callMs = (call: TimedCall) => {
    const durations = measured.flatMap(({ durationsMs }) => durationsMs[call])
    return { p50: quantile(durations, 0.5), p95: quantile(durations, 0.95) }
  }
  const cpuShares = measuredProcesses.map((name) => [name, (last.cpuMs[name] - first.cpuMs[name]) / 1000 / seconds])
  return {
    seconds,
    acceptedPerSecond: accepted / seconds,
    beaconMs: {
      p50: medianOf(({ beacons }) => beacons.p50Ms),
      p95: medianOf(({ beacons }) => beacons.p95Ms),
      p99: medianOf(({ beacons }) => beacons.p99Ms),
    },
    callMs: { create: callMs('create'), read: callMs('read'), job: callMs('job') },
    apiMemoryBytes: medianOf(({ memoryBytes }) => memoryBytes.api),
    workerMemoryBytes: medianOf(({ memoryBytes }) => memoryBytes.worker),
    walBytesPerSecond: (last.walBytes - first.walBytes) / seconds,
    walBytesPerBeacon: (last.walBytes - first.walBytes) / Math.max(accepted, 1),
    walRecordsPerBeacon: (last.walRecords - first.walRecords) / Math.max(accepted, 1),
    maxBufferBytes: maxOf(({ postgresTables }) =>
      postgresTables
        .filter(({ name }) => name === 'view_batch' || name === 'view_block')
        .reduce((sum, { bytes }) => sum + bytes, 0),
    ),
    maxBacklogAgeSeconds: maxOf(({ backlogAgeSeconds }) => backlogAgeSeconds),
    maxConnections: maxOf(({ connections }) => connections),
    maxSegments: maxOf(({ clickhouseTables }) => Math.max(0, ...clickhouseTables.map(({ segments }) => segments))),
    cpuShares: Object.fromEntries(cpuShares) as Record<MeasuredProcess, number>,
  }
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}
