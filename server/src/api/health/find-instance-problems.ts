/** Which states of an instance need an operator. The alert rules in deploy/monitoring find more, because they also see rates. */
import type { ReadinessReport } from '../../platform/http/readiness.ts'
import type { InstanceQueues } from './instance-queues.ts'

export const instanceProblemCodes = [
  'postgres_failing',
  'temporal_failing',
  'clickhouse_failing',
  'no_runner_online',
  'turns_waiting',
  'publishing_slow',
  'views_waiting',
  'views_buffer_almost_full',
  'views_quarantined',
  'deliveries_waiting',
  'disk_low',
  'backup_old',
  'untrusted_proxy',
  'upgrade_unfinished',
] as const
export type InstanceProblemCode = (typeof instanceProblemCodes)[number]

export interface InstanceProblem {
  code: InstanceProblemCode
  severity: 'critical' | 'warning'
}

export interface ObservedInstance {
  readiness: Pick<ReadinessReport, 'components' | 'warnings'>
  /** Null: not known. */
  queues: InstanceQueues | null
  clickhouseFreeBytes: number | null
  isUpgradeUnfinished: boolean
  /** Null: no schedule writes backups, or it is not known. */
  scheduledBackups: { ageSeconds: number; intervalSeconds: number } | null
}

const gigabyte = 1024 ** 3
const minFreeBytes = 5 * gigabyte
const maxWaitingSeconds = 600
const maxPublishingSeconds = 900
const maxViewAgeSeconds = 60
const maxBackupIntervals = 2
const almostFull = 0.8

/** Critical ones first. */
export function findInstanceProblems({
  readiness,
  queues,
  clickhouseFreeBytes,
  isUpgradeUnfinished,
  scheduledBackups,
}: ObservedInstance): InstanceProblem[] {
  const problems: InstanceProblem[] = []
  const add = (severity: InstanceProblem['severity'], code: InstanceProblemCode, isPresent: boolean) => {
    if (isPresent) problems.push({ code, severity })
  }
  const isFailing = (name: string) => readiness.components[name]?.status === 'failing'
  add('critical', 'postgres_failing', isFailing('postgres'))
  add('critical', 'temporal_failing', isFailing('temporal'))
  add('critical', 'clickhouse_failing', isFailing('clickhouse'))
  if (queues) {
    const { turns, waitingAttempts, runners, views, deliveries } = queues
    add('critical', 'no_runner_online', waitingAttempts.count > 0 && runners.online === 0)
    add('critical', 'views_buffer_almost_full', isAlmostFull(views))
    add('critical', 'views_waiting', views.oldestAgeSeconds > maxViewAgeSeconds)
    add('warning', 'views_quarantined', views.quarantinedBatches > 0)
    add('warning', 'turns_waiting', runners.online > 0 && waitingAttempts.oldestAgeSeconds > maxWaitingSeconds)
    add('warning', 'publishing_slow', turns.publishing.oldestAgeSeconds > maxPublishingSeconds)
    add('warning', 'deliveries_waiting', deliveries.oldestDueAgeSeconds > maxWaitingSeconds)
  }
  add('warning', 'disk_low', clickhouseFreeBytes !== null && clickhouseFreeBytes < minFreeBytes)
  add('warning', 'backup_old', isBackupOld(scheduledBackups))
  add('warning', 'untrusted_proxy', readiness.warnings.includes('untrusted_proxy'))
  add('warning', 'upgrade_unfinished', isUpgradeUnfinished)
  return problems
}

const isBackupOld = (backups: ObservedInstance['scheduledBackups']) =>
  backups !== null && backups.ageSeconds > maxBackupIntervals * backups.intervalSeconds

const isAlmostFull = ({ waitingBytes, deliveryIdBytes, maxBytes }: InstanceQueues['views']) =>
  waitingBytes + deliveryIdBytes > almostFull * maxBytes
