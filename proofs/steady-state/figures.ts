/** Prints the figures of a run, with those of its beginning and its end side by side. */
import type { ProofRun } from '../proof.ts'
import type { SteadyFixture } from './fixture.ts'
import { formatCount, formatMegabytes, formatMs } from './format.ts'
import { type Period, summarize } from './period.ts'
import { type Plan, weekSeconds } from './plan.ts'
import type { Sample } from './sample.ts'
import type { FinalBeaconReport } from './send-beacons.ts'

export function printLoad(
  run: ProofRun,
  plan: Plan,
  { prefilledViews }: SteadyFixture,
  samples: readonly Sample[],
  beacons: FinalBeaconReport,
): void {
  const whole = summarize(samples)
  const rowShare = plan.viewsPerPrefilledRow
  run.figure(
    'prefilled',
    `${formatCount(plan.projects)} projects; ${formatCount(prefilledViews.views)} views of a week in ${formatCount(prefilledViews.rows)} ` +
      `rows (1/${rowShare} of the raw rows, all rows of sums); ${formatCount(plan.prefilledJobs)} jobs ` +
      `(${((plan.prefilledJobs / ((plan.jobsPerMinute * weekSeconds) / 60)) * 100).toFixed(0)} % of a week's); ` +
      `${formatCount(prefilledViews.sentBatches)} sent batches; no workflows in Temporal`,
  )
  run.figure(
    'beacons accepted',
    `${whole.acceptedPerSecond.toFixed(0)}/s for ${(whole.seconds / 60).toFixed(1)} minutes`,
    {
      goal: `≥ ${plan.beaconsPerSecond}/s`,
      isMet: whole.acceptedPerSecond >= plan.beaconsPerSecond * 0.995 && beacons.failed === 0,
    },
  )
  const cpu = Object.entries(whole.cpuShares).map(([name, share]) => `${name} ${share.toFixed(2)}`)
  run.figure('CPU, in cores', cpu.join(', '))
}

export function printPeriods(
  run: ProofRun,
  samples: readonly Sample[],
  [beginning, middle, end]: [Period, Period, Period],
): void {
  const change = (format: (period: Period) => string) => `${format(beginning)} → ${format(middle)} → ${format(end)}`
  const latency = ({ beaconMs: { p50, p95, p99 } }: Period) => [p50, p95, p99].map(formatMs).join(' / ')
  const callLatency = (call: 'create' | 'read' | 'job') => (period: Period) =>
    `${formatMs(period.callMs[call].p50)} / ${formatMs(period.callMs[call].p95)}`
  run.figure(
    'beacons/s, in three thirds of the run',
    change(({ acceptedPerSecond }) => acceptedPerSecond.toFixed(0)),
  )
  run.figure('beacon latency p50 / p95 / p99', change(latency))
  run.figure('creation of a job p50 / p95', change(callLatency('create')))
  run.figure('reads p50 / p95', change(callLatency('read')))
  run.figure('duration of a turn p50 / p95', change(callLatency('job')))
  run.figure(
    'memory of api',
    change(({ apiMemoryBytes }) => formatMegabytes(apiMemoryBytes)),
  )
  run.figure(
    'memory of worker',
    change(({ workerMemoryBytes }) => formatMegabytes(workerMemoryBytes)),
  )
  run.figure(
    'WAL of all databases',
    change(
      ({ walBytesPerSecond, walBytesPerBeacon, walRecordsPerBeacon }) =>
        `${formatMegabytes(walBytesPerSecond)}/s, ${walBytesPerBeacon.toFixed(0)} bytes in ${walRecordsPerBeacon.toFixed(2)} records per beacon`,
    ),
  )
  run.figure(
    'oldest view not in ClickHouse',
    change(({ maxBacklogAgeSeconds }) => `${maxBacklogAgeSeconds.toFixed(1)} s`),
  )
  run.figure(
    'most unmerged files of a ClickHouse table',
    change(({ maxSegments }) => `${maxSegments}`),
  )
  run.figure(
    'largest size of the buffer of views',
    change(({ maxBufferBytes }) => formatMegabytes(maxBufferBytes)),
  )
  const first = samples[0]
  const last = samples.at(-1)
  if (!first || !last) return
  const both = (read: (sample: Sample) => string) => `${read(first)} → ${read(last)}`
  run.figure(
    'WAL on disk',
    both(({ walDirectoryBytes }) => formatMegabytes(walDirectoryBytes)),
  )
  run.figure(
    'connections to PostgreSQL',
    both(({ connections }) => `${connections}`),
  )
  run.figure(
    'workflows open in Temporal, size of its databases',
    both(({ openWorkflows, temporalDatabaseBytes }) => `${openWorkflows}, ${formatMegabytes(temporalDatabaseBytes)}`),
  )
  for (const name of ['PostgreSQL', 'ClickHouse', 'Temporal'] as const)
    run.figure(
      `memory of ${name}`,
      both(({ memoryBytes }) => formatMegabytes(memoryBytes[name])),
    )
}
