/**
 * Writes backups when the schedule in Temporal says so, in a process of its own: it has the rights of the owner of the tables. Temporal
 * starts one at a time, also if several such processes run, and makes up for what was missed while it was down.
 */
import { type Client, ScheduleAlreadyRunning, type ScheduleOptions } from '@temporalio/client'
import { createBackupActivities } from '../../activities/backup-activities.ts'
import { BackupFileTooLarge } from '../../backups/archive/backup-error.ts'
import { assertRecipients } from '../../backups/archive/backup-file.ts'
import { openStorage } from '../../backups/archive/open-storage.ts'
import { probeStorage } from '../../backups/archive/probe-storage.ts'
import { createBackup } from '../../backups/create-backup.ts'
import { deleteOldBackups } from '../../backups/delete-old-backups.ts'
import { withBackupConnection } from '../../backups/postgres/backup-connection.ts'
import { recordBackupSchedule } from '../../database/backup-records.ts'
import { jobTaskQueue } from '../../jobs/job-signaler.ts'
import { startBackgroundTask } from '../../platform/background-task.ts'
import { createClickhouse } from '../../platform/clickhouse.ts'
import type { BackupScheduleConfig } from '../../platform/config.ts'
import { createLog } from '../../platform/log.ts'
import { createTemporalClient, createTemporalConnection } from '../../platform/temporal.ts'
import type { RunningProcess } from './running-process.ts'
import { backupScheduleId } from './scheduled-backups.ts'
import { startTemporalWorker } from './temporal-worker.ts'

const backupTaskQueue = 'backups'

/** Temporal may have lost the schedule, with all of its state. */
const setUpAgainAfterMs = 600_000
const retryIntervalMs = 10_000

/** ClickHouse waits for longer than the storage may take, with all attempts. */
export const clickhouseTimeoutMs = 600_000

export function startBackupSchedule(config: BackupScheduleConfig): RunningProcess {
  assertRecipients(config.recipients)
  const log = createLog('backup', config.log)
  const storage = openStorage(config.storage, config.s3)
  const clickhouse = createClickhouse(config.clickhouse, { timeoutMs: clickhouseTimeoutMs })
  const connection = createTemporalConnection(config.temporal)
  const temporal = createTemporalClient(connection, config.temporal)
  let nextSetUpMs = 0
  let isStorageProbed = false
  const setUp = startBackgroundTask({
    async round() {
      if (performance.now() < nextSetUpMs) return
      await withBackupConnection(config.postgres, recordBackupSchedule) // first, so that a backup that is missing is noticed
      await putSchedule(temporal, config.schedule)
      if (nextSetUpMs === 0)
        log.info({ schedule: config.schedule, storage: storage.description }, 'waiting for the schedule')
      nextSetUpMs = performance.now() + setUpAgainAfterMs
      // A wrong key or directory is in the log now, and not only at night. Once, because a bucket may keep all versions of a file.
      if (isStorageProbed) await storage.listFolders()
      else await probeStorage(storage)
      isStorageProbed = true
    },
    intervalMs: retryIntervalMs,
    failureMessage: 'could not set the schedule in Temporal, or use the storage',
    log,
  })
  // Its failure is not one of the backup: a retry would write another backup each time, until the storage is full.
  const cleanUp = () =>
    deleteOldBackups({ services: config, storage, log }, { keep: config.keep, now: new Date() }).catch(
      (error: unknown) => log.warn({ error: String(error) }, 'could not delete old backups'),
    )
  const activities = createBackupActivities({
    async write(signal) {
      const { recipients } = config
      await cleanUp() // what a process that was killed has left may fill the storage
      const { folder, manifestSha256 } = await createBackup({
        services: config,
        clickhouse,
        storage,
        recipients,
        log,
        signal,
      })
      log.info({ folder, manifestSha256 }, 'the backup is complete')
      await cleanUp()
    },
    isPermanent: (error) => error instanceof BackupFileTooLarge,
    log,
  })
  const worker = startTemporalWorker(
    config.temporal,
    { taskQueue: backupTaskQueue, activities, runsWorkflows: false, maxConcurrentActivities: 1 },
    log,
  )
  return {
    shutdownDelaySeconds: 0,
    async stop() {
      await Promise.all([setUp.stop(), worker.stop()])
      await Promise.allSettled([clickhouse.close(), connection.close()])
    },
  }
}

/** The workflow itself runs in `worker`, like all others. */
async function putSchedule({ schedule }: Client, cron: string): Promise<void> {
  const options = {
    scheduleId: backupScheduleId,
    spec: { cronExpressions: [cron] },
    action: { type: 'startWorkflow', workflowType: 'backUpInstance', taskQueue: jobTaskQueue, workflowId: 'backup' },
    policies: { overlap: 'SKIP', catchupWindow: '12 hours' },
  } satisfies ScheduleOptions
  try {
    await schedule.create(options)
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    // An operator may have paused it.
    await schedule.getHandle(backupScheduleId).update(({ state }) => ({ ...options, state }))
  }
}
