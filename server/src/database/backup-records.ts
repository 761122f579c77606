/** When the instance was backed up, for operators and their alerts. Only `colophon-server backup` writes it, as the owner of the tables. */
import type { ClientBase } from 'pg'
import type { Database, DatabaseTransaction } from './database.ts'

export interface WrittenBackup {
  /** What the backup contains is as it was then. */
  moment: Date
  finishedAt: Date
}

export interface BackupHistory {
  /** Undefined: none was ever written, or another tool writes them. */
  last: WrittenBackup | undefined
  /** When a schedule was set for the first time. Undefined: never. */
  scheduledSince: Date | undefined
}

export async function readBackupHistory(db: Database | DatabaseTransaction): Promise<BackupHistory> {
  const backups = db.selectFrom('instance_backup').select(['moment', 'finished_at as finishedAt'])
  const complete = backups.where('finished_at', 'is not', null).$narrowType<{ finishedAt: Date }>()
  const last = await complete.orderBy('moment', 'desc').limit(1).executeTakeFirst()
  const schedule = await db.selectFrom('instance_backup_schedule').select('since').executeTakeFirst()
  return { last, scheduledSince: schedule?.since }
}

/** Since when there is no newer backup. Undefined: nobody expects one. */
export const noBackupSince = ({ last, scheduledSince }: BackupHistory): Date | undefined =>
  last?.finishedAt ?? scheduledSince

/** `finishedAt`: undefined for one that is being written, or that is not known to be of this instance. */
export async function recordBackup(
  client: ClientBase,
  { moment, finishedAt, storage }: { moment: Date; finishedAt: Date | undefined; storage: string },
): Promise<void> {
  await client.query('INSERT INTO instance_backup (moment, finished_at, storage) VALUES ($1, $2, $3)', [
    moment,
    finishedAt,
    storage,
  ])
}

/** False: it is not recorded any longer. */
export async function recordEndOfBackup(client: ClientBase, { moment, finishedAt }: WrittenBackup): Promise<boolean> {
  const { rowCount } = await client.query('UPDATE instance_backup SET finished_at = $2 WHERE moment = $1', [
    moment,
    finishedAt,
  ])
  return rowCount === 1
}

/** Also before the tables exist. */
export async function isBackupRecorded(client: ClientBase, moment: Date): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(
    "SELECT to_regclass('instance_backup') IS NOT NULL AS exists",
  )
  if (!rows[0]?.exists) return false
  return (await client.query('SELECT FROM instance_backup WHERE moment = $1', [moment])).rowCount === 1
}

export async function recordBackupSchedule(client: ClientBase): Promise<void> {
  await client.query('INSERT INTO instance_backup_schedule DEFAULT VALUES ON CONFLICT DO NOTHING')
}

/** The moments of those in a storage that are older than the newest `keep` complete ones, oldest first. */
export async function listOldBackups(client: ClientBase, storage: string, keep: number): Promise<Date[]> {
  const { rows } = await client.query<{ moment: Date }>(
    `SELECT moment FROM instance_backup WHERE storage = $1 AND moment < (
       SELECT kept.moment FROM instance_backup AS kept WHERE kept.storage = $1 AND kept.finished_at IS NOT NULL
       ORDER BY kept.moment DESC OFFSET $2 LIMIT 1)
     ORDER BY moment`,
    [storage, keep - 1],
  )
  return rows.map(({ moment }) => moment)
}

/** The moments of those that were not finished, or are being written. */
export async function listUnfinishedBackups(client: ClientBase, storage: string): Promise<Date[]> {
  const { rows } = await client.query<{ moment: Date }>(
    'SELECT moment FROM instance_backup WHERE storage = $1 AND finished_at IS NULL ORDER BY moment',
    [storage],
  )
  return rows.map(({ moment }) => moment)
}

export async function forgetBackup(client: ClientBase, moment: Date): Promise<void> {
  await client.query('DELETE FROM instance_backup WHERE moment = $1', [moment])
}
