/** A backup that Temporal's schedule starts, in a process of its own, while `worker` runs the workflow. */
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createEmptyTestInstance } from '../../../../testing/harness/empty-test-instance.ts'
import { createTestInstance } from '../../../../testing/harness/test-instance.ts'
import { startTestWorker } from '../../../../testing/harness/test-worker.ts'
import { DirectoryStorage } from '../../backups/archive/directory-storage.ts'
import { folderNameOf } from '../../backups/archive/manifest.ts'
import { findBackup, verifyBackup } from '../../backups/verify-backup.ts'
import { readBackupHistory } from '../../database/backup-records.ts'
import { loadBackupScheduleConfig } from '../../platform/config.ts'
import { startBackupSchedule } from './backup-schedule.ts'

test('writes a backup when the schedule says so, and keeps as many as it should', async () => {
  const services = inject('services')
  const instance = await createTestInstance(services, 'backup schedule')
  onTestFinished(instance.drop)
  const directory = await mkdtemp(join(tmpdir(), 'colophon-backups-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const worker = await startTestWorker(instance)
  onTestFinished(worker.stop)
  const identity = await generateX25519Identity()
  const config = loadBackupScheduleConfig({
    ...instance.environment,
    COLOPHON_BACKUP_STORAGE: directory,
    COLOPHON_BACKUP_RECIPIENTS: await identityToRecipient(identity),
    COLOPHON_BACKUP_SCHEDULE: '0 3 1 1 *',
    COLOPHON_BACKUP_KEEP: '2',
    COLOPHON_LOG_LEVEL: 'error',
  })
  const process = startBackupSchedule(config)
  onTestFinished(process.stop)

  const connection = await Connection.connect({ address: services.temporalAddress })
  onTestFinished(() => connection.close())
  const { schedule, workflow } = new Client({ connection, namespace: config.temporal.namespace })
  const handle = schedule.getHandle('backup')
  await expect.poll(() => handle.describe().catch(() => undefined)).toMatchObject({ policies: { overlap: 'SKIP' } })

  const storage = new DirectoryStorage(directory)
  const findLastRun = async () => (await handle.describe()).info.recentActions.at(-1)?.action.workflow
  const backUp = async () => {
    const before = (await findLastRun())?.firstExecutionRunId
    await handle.trigger()
    await expect.poll(async () => (await findLastRun())?.firstExecutionRunId, { timeout: 60_000 }).not.toBe(before)
    const run = await findLastRun()
    if (run === undefined) throw new Error('the schedule started no workflow')
    await workflow.getHandle(run.workflowId, run.firstExecutionRunId).result()
    // Until the schedule knows that it ended, it would skip the next one.
    await expect.poll(async () => (await handle.describe()).info.runningActions).toEqual([])
  }
  await backUp()
  const first = await findBackup(storage, undefined)
  await verifyBackup(storage, first, [identity])
  expect((await readBackupHistory(instance.database)).last?.moment.toISOString()).toBe(first.manifest.moment)

  for (const folder of ['2020-01-01T02-00-00.000Z', 'something-else']) await mkdir(join(directory, folder))
  // What a process that was killed has left.
  const killed = new Date(Date.now() - 60_000)
  await mkdir(join(directory, folderNameOf(killed)))
  await instance.pool.query('INSERT INTO instance_backup (moment, storage) VALUES ($1, $2)', [killed, directory])
  await backUp()
  await backUp()
  const folders = await readdir(directory)
  expect(folders).toHaveLength(3)
  expect(folders).toContain('something-else')
  expect(folders).not.toContain(first.folder)

  // Another start changes the schedule, and leaves it paused if an operator has paused it.
  await handle.pause()
  await process.stop()
  const again = startBackupSchedule({ ...config, schedule: '0 4 1 1 *' })
  onTestFinished(again.stop)
  await expect
    .poll(async () => (await handle.describe()).spec.calendars?.[0]?.hour)
    .toEqual([expect.objectContaining({ start: 4 })])
  expect((await handle.describe()).state.paused).toBe(true)
})

test('does not start with a recipient that is mistyped', async () => {
  const instance = await createEmptyTestInstance(inject('services'), 'backup schedule')
  onTestFinished(instance.drop)
  const recipient = await identityToRecipient(await generateX25519Identity())
  const config = loadBackupScheduleConfig({
    ...instance.environment,
    COLOPHON_BACKUP_STORAGE: tmpdir(),
    COLOPHON_BACKUP_RECIPIENTS: `${recipient.slice(0, -1)}${recipient.endsWith('q') ? 'p' : 'q'}`,
  })
  expect(() => startBackupSchedule(config)).toThrow('which is not a public key of age')
})
