/** How often a backup is due, and how old the last one is: only an instance with a schedule for backups has to have new ones. */
import { type ScheduleClient, ScheduleNotFoundError } from '@temporalio/client'
import type { BackupHistory } from '../../database/backup-records.ts'

export interface ScheduledBackups {
  /** Of the last backup. Without one since the schedule was set: of the schedule. */
  ageSeconds: number
  intervalSeconds: number
}

/** Of the schedule in Temporal. */
export const backupScheduleId = 'backup'

/** Temporal has lost the schedule: backups are due as by default. */
const defaultIntervalSeconds = 24 * 3600

/** Null: none is scheduled. */
export async function readScheduledBackups(
  { last, scheduledSince }: BackupHistory,
  schedules: ScheduleClient,
): Promise<ScheduledBackups | null> {
  if (!scheduledSince) return null
  const sinceMs = Math.max(scheduledSince.getTime(), last?.finishedAt.getTime() ?? 0)
  return { ageSeconds: (Date.now() - sinceMs) / 1000, intervalSeconds: await readIntervalSeconds(schedules) }
}

/** The longest time between two of the next backups: a schedule can leave out weekends. */
async function readIntervalSeconds(schedules: ScheduleClient): Promise<number> {
  try {
    const { info } = await schedules.getHandle(backupScheduleId).describe()
    const timesMs = info.nextActionTimes.map((time) => time.getTime())
    const gapsMs = timesMs.slice(1).map((timeMs, index) => timeMs - (timesMs[index] ?? timeMs))
    return gapsMs.length > 0 ? Math.max(...gapsMs) / 1000 : defaultIntervalSeconds
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return defaultIntervalSeconds
    throw error
  }
}
