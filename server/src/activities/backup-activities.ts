import { ApplicationFailure, Context } from '@temporalio/activity'
import type { Log } from '../platform/log.ts'

export interface BackupActivities {
  writeBackup(): Promise<void>
}

const heartbeatMs = 10_000

export const createBackupActivities = ({
  write,
  isPermanent,
  log,
}: {
  /** Rejects when a service or the storage does not respond, so that heartbeats show that the backup makes progress. */
  write(signal: AbortSignal): Promise<void>
  /** Whether another attempt would fail for the same reason, after hours. */
  isPermanent(error: unknown): boolean
  log: Log
}): BackupActivities => ({
  async writeBackup() {
    const activity = Context.current()
    const { cancellationSignal } = activity
    const heartbeats = setInterval(() => activity.heartbeat(), heartbeatMs)
    try {
      await write(cancellationSignal)
    } catch (error) {
      cancellationSignal.throwIfAborted() // the process stops, or the backup has taken too long
      const nonRetryable = isPermanent(error)
      const message = nonRetryable ? 'the backup failed' : 'the backup failed and will be retried'
      log.error({ error: String(error) }, message)
      // Temporal keeps the message, and a driver's may contain anything.
      throw ApplicationFailure.create({ message: 'backup_failed', type: 'backup_failed', nonRetryable })
    } finally {
      clearInterval(heartbeats)
    }
  },
})
