import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createTestInstance } from '../../../../testing/harness/test-instance.ts'
import { readBackupHistory } from '../../database/backup-records.ts'
import { loadBackupScheduleConfig } from '../../platform/config.ts'
import { startBackupSchedule } from './backup-schedule.ts'
import { readScheduledBackups } from './scheduled-backups.ts'

const hour = 3600

test('reads the longest interval of the schedule, and the age of the last backup', async () => {
  const services = inject('services')
  const instance = await createTestInstance(services, 'scheduled backups')
  onTestFinished(instance.drop)
  const directory = await mkdtemp(join(tmpdir(), 'colophon-backups-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const config = loadBackupScheduleConfig({
    ...instance.environment,
    COLOPHON_BACKUP_STORAGE: directory,
    COLOPHON_BACKUP_RECIPIENTS: await identityToRecipient(await generateX25519Identity()),
    COLOPHON_BACKUP_SCHEDULE: '0 3 * * 1-5',
    COLOPHON_LOG_LEVEL: 'error',
  })
  const connection = await Connection.connect({ address: services.temporalAddress })
  onTestFinished(() => connection.close())
  const { schedule } = new Client({ connection, namespace: config.temporal.namespace })
  const read = async () => readScheduledBackups(await readBackupHistory(instance.database), schedule)

  await instance.pool.query(
    "INSERT INTO instance_backup (moment, finished_at, storage) VALUES (now() - interval '9 days', now() - interval '9 days', 'x')",
  )
  expect(await read()).toBeNull()

  const process = startBackupSchedule(config)
  onTestFinished(process.stop)
  await expect.poll(read, { timeout: 30_000 }).toMatchObject({ intervalSeconds: 72 * hour })
  expect((await read())?.ageSeconds).toBeLessThan(hour)

  await instance.pool.query("UPDATE instance_backup_schedule SET since = now() - interval '20 days'")
  await schedule.getHandle('backup').pause()
  expect(await read()).toEqual({ ageSeconds: expect.closeTo(9 * 24 * hour, -2), intervalSeconds: 72 * hour })
  await schedule.getHandle('backup').delete()
  expect(await read()).toMatchObject({ intervalSeconds: 24 * hour })
})
