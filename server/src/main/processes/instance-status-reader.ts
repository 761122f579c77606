/** Reads the state of the instance for operators, from all services at once: one that does not answer delays nobody for long. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ScheduleClient } from '@temporalio/client'
import { findInstanceProblems } from '../../api/health/find-instance-problems.ts'
import type { InstanceQueues } from '../../api/health/instance-queues.ts'
import type { InstanceStatus } from '../../api/health/instance-status.ts'
import { mayOlderVersionRun } from '../../database/older-version.ts'
import type { Readiness } from '../../platform/http/readiness.ts'
import type { Log } from '../../platform/log.ts'
import {
  readClickhouseDetails,
  readPostgresDetails,
  readTemporalDetails,
  type ServiceDetails,
} from '../../platform/service-details.ts'
import { version } from '../../platform/version.ts'
import { readBacklog } from './backlog-metrics.ts'
import type { ServiceClients } from './create-service-clients.ts'
import { readScheduledBackups } from './scheduled-backups.ts'

export interface InstanceStatusReaderDeps {
  services: ServiceClients
  schedules: ScheduleClient
  readiness: Readiness
  maxBufferBytes: number
  log: Log
}

const cacheMs = 10_000
const timeoutMs = 6_000

/** Several dashboards, or an operator who reloads, share one reading. */
export function createInstanceStatusReader(deps: InstanceStatusReaderDeps): () => Promise<InstanceStatus> {
  let latest: { atMs: number; status: Promise<InstanceStatus> } | undefined
  return () => {
    if (!latest || performance.now() - latest.atMs > cacheMs)
      latest = { atMs: performance.now(), status: readInstanceStatus(deps) }
    return latest.status
  }
}

async function readInstanceStatus({
  services,
  schedules,
  readiness,
  maxBufferBytes,
  log,
}: InstanceStatusReaderDeps): Promise<InstanceStatus> {
  const { pool, clickhouse, temporal, database } = services
  const orNull = <Value>(what: string, value: Promise<Value>): Promise<Value | null> =>
    Promise.race([value, sleep(timeoutMs, null, { ref: false })]).catch((error: unknown) => {
      log.warn({ service: what, error: String(error) }, 'could not read the state of the instance')
      return null
    })
  const readingBacklog = orNull('postgres', readBacklog(database))
  const [report, postgresDetails, clickhouseDetails, temporalDetails, backlog, scheduledBackups, mayOlderRun] =
    await Promise.all([
      readiness.report(),
      orNull('postgres', readPostgresDetails(pool)),
      orNull('clickhouse', readClickhouseDetails(clickhouse)),
      orNull('temporal', readTemporalDetails(temporal)),
      readingBacklog,
      readingBacklog.then((found) => found && orNull('temporal', readScheduledBackups(found.backups, schedules))),
      orNull('postgres', mayOlderVersionRun(database)),
    ])
  const toService = (name: string, details: ServiceDetails | null) => ({
    component: report.components[name] ?? { status: 'failing' as const, reason: 'unreachable' as const },
    version: details?.version ?? null,
    usedBytes: details?.usedBytes ?? null,
    freeBytes: details?.freeBytes ?? null,
  })
  const queues = backlog && toQueues(backlog, maxBufferBytes)
  const lastBackup = backlog?.backups.last
  return {
    version,
    readAt: new Date().toISOString(),
    services: {
      postgres: toService('postgres', postgresDetails),
      temporal: toService('temporal', temporalDetails),
      clickhouse: toService('clickhouse', clickhouseDetails),
    },
    queues,
    lastBackup: lastBackup
      ? { moment: lastBackup.moment.toISOString(), finishedAt: lastBackup.finishedAt.toISOString() }
      : null,
    problems: findInstanceProblems({
      readiness: report,
      queues,
      clickhouseFreeBytes: clickhouseDetails?.freeBytes ?? null,
      isUpgradeUnfinished: mayOlderRun ?? false,
      scheduledBackups,
    }),
  }
}

function toQueues(
  { jobs, views, deliveries }: Awaited<ReturnType<typeof readBacklog>>,
  maxBytes: number,
): InstanceQueues {
  const { turns, waitingAttempts, runners } = jobs
  const { bytes, deliveryIdBytes, oldestAgeSeconds, quarantinedBatches } = views
  return {
    turns,
    waitingAttempts,
    runners,
    views: { waitingBytes: bytes, deliveryIdBytes, maxBytes, oldestAgeSeconds, quarantinedBatches },
    deliveries,
  }
}
