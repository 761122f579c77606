/** Started by the schedule of `colophon-server backup schedule`, which also runs the activity. */
import { proxyActivities } from '@temporalio/workflow'
import type { BackupActivities } from '../activities/backup-activities.ts'

/** Of a process that has the rights of the owner of the tables, which `worker` does not have. */
const { writeBackup } = proxyActivities<BackupActivities>({
  taskQueue: 'backups',
  scheduleToCloseTimeout: '23 hours', // ends before the next backup of a daily schedule, which would be skipped otherwise
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '1 minute', maximumInterval: '30 minutes' },
})

export const backUpInstance = (): Promise<void> => writeBackup()
