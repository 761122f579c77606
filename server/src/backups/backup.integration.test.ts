import { mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import type pg from 'pg'
import { afterAll, expect, inject, onTestFinished, test } from 'vitest'
import { createClaimedTurn } from '../../../testing/harness/claimed-turn.ts'
import { createEmptyTestInstance } from '../../../testing/harness/empty-test-instance.ts'
import { createTestInstance, type TestInstance } from '../../../testing/harness/test-instance.ts'
import { PostgresViewBuffer } from '../analytics/collect/view-buffer.ts'
import { startLoader } from '../analytics/load/loader.ts'
import { createTestView } from '../analytics/testing/create-test-view.ts'
import { loadPendingViews } from '../analytics/testing/load-views.ts'
import { readBackupHistory } from '../database/backup-records.ts'
import { createDatabase } from '../database/database.ts'
import { AttemptStore } from '../jobs/attempt-store.ts'
import { hashKey } from '../keys/key-format.ts'
import { createClickhouse } from '../platform/clickhouse.ts'
import { loadMigrateConfig } from '../platform/config.ts'
import type { Id } from '../platform/ids.ts'
import { createLog } from '../platform/log.ts'
import { createPostgresPool } from '../platform/postgres.ts'
import { createClickhouseCheck } from '../platform/service-checks.ts'
import { BackupError } from './archive/backup-error.ts'
import { readBackupFile, writeBackupFile } from './archive/backup-file.ts'
import { DirectoryStorage } from './archive/directory-storage.ts'
import { folderNameOf } from './archive/manifest.ts'
import { ResponsiveStorage } from './archive/responsive-storage.ts'
import type { BackupStorage } from './archive/storage.ts'
import { type BackupDeps, type CreatedBackup, createBackup } from './create-backup.ts'
import { type RestoreDeps, type RestoreOptions, restoreBackup } from './restore-backup.ts'
import { findBackup, listBackups, verifyBackup } from './verify-backup.ts'

const log = createLog('test', { level: 'error' })
const identity = await generateX25519Identity()
const recipients = [await identityToRecipient(identity)]
const instance = await createTestInstance(inject('services'), 'backup')
afterAll(() => instance.drop())

async function createStorage(): Promise<{ storage: BackupStorage; root: string }> {
  const root = await mkdtemp(join(tmpdir(), 'colophon-backup-'))
  onTestFinished(() => rm(root, { recursive: true }))
  return { root, storage: new DirectoryStorage(root) }
}

/** A directory, and what happens before a file is written to it. */
class DirectoryWithEvents extends DirectoryStorage {
  readonly #beforeWrite: (path: string) => Promise<void>

  constructor(root: string, beforeWrite: (path: string) => Promise<void>) {
    super(root)
    this.#beforeWrite = beforeWrite
  }

  override async write(path: string, content: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void> {
    await this.#beforeWrite(path)
    await super.write(path, content, signal)
  }
}

async function backUp(
  { environment }: Pick<TestInstance, 'environment'>,
  storage: BackupStorage,
  deps: Partial<BackupDeps> = {},
): Promise<CreatedBackup> {
  const config = loadMigrateConfig(environment)
  const clickhouse = createClickhouse(config.clickhouse)
  try {
    return await createBackup({ services: config, clickhouse, storage, recipients, log, ...deps })
  } finally {
    await clickhouse.close()
  }
}

async function restoreInto(
  environment: Record<string, string>,
  storage: BackupStorage,
  backup: CreatedBackup,
  { migrate = async () => {}, ...options }: Partial<RestoreOptions & Pick<RestoreDeps, 'migrate'>> = {},
): Promise<void> {
  const services = loadMigrateConfig(environment)
  const clickhouse = createClickhouse(services.clickhouse)
  try {
    const deps = { services, clickhouse, storage, identities: [identity], migrate, log }
    await restoreBackup(deps, backup, { only: undefined, keepSessions: false, ...options })
  } finally {
    await clickhouse.close()
  }
}

/** An instance that nothing was migrated in, and a pool on it. */
async function createTarget() {
  const target = await createEmptyTestInstance(inject('services'), 'restore')
  const pool = createPostgresPool({ url: target.postgresUrl, poolSize: 5 }, log)
  onTestFinished(async () => {
    await pool.end()
    await target.drop()
  })
  return { ...target, pool }
}

const newBuffer = (pool: pg.Pool) =>
  new PostgresViewBuffer({ pool, database: createDatabase(pool) }, { maxBufferBytes: 1e9 })

const deliver = (pool: pg.Pool, projectId: Id<'prj'>, path: string, at?: Date) =>
  newBuffer(pool).append({
    projectId,
    source: 'servers',
    countsHumans: true,
    deliveryId: { text: path, retention: 'half_hour' },
    views: [createTestView({ projectId, path, ...(at && { at }) })],
  })

async function countViews(clickhouseUrl: string, projectId: Id<'prj'>): Promise<Map<string, number>> {
  const clickhouse = createClickhouse({ url: clickhouseUrl })
  try {
    const response = await clickhouse.query({
      query: `SELECT path, toUInt32(sum(human)) AS views FROM views_by_page_and_day WHERE project_id = '${projectId}' GROUP BY path`,
      format: 'JSONEachRow',
    })
    return new Map((await response.json<{ path: string; views: number }>()).map(({ path, views }) => [path, views]))
  } finally {
    await clickhouse.close()
  }
}

/** A hash of all rows of each table, without the entry about the restore itself. */
async function hashTables(pool: pg.Pool): Promise<Record<string, string | null>> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
       AND NOT relispartition AND relname <> 'schema_migration' ORDER BY 1`,
  )
  const hashes: Record<string, string | null> = {}
  for (const { name } of rows) {
    const { rows: found } = await pool.query<{ hash: string | null }>(
      `SELECT md5(string_agg(t::text, E'\\n' ORDER BY t::text)) AS hash FROM "${name}" AS t
       WHERE t::text NOT LIKE '%,backup.restored,%'`,
    )
    hashes[name] = found[0]?.hash ?? null
  }
  return hashes
}

const readAuditedRestores = async (pool: pg.Pool) =>
  (await pool.query("SELECT detail FROM audit_entry WHERE action = 'backup.restored'")).rows.map(({ detail }) => detail)

/** In a storage, by folder. Null: not finished. */
async function readRecordedBackups(pool: pg.Pool, storage: BackupStorage): Promise<[string, string | null][]> {
  const { rows } = await pool.query<{ moment: Date; finishedAt: Date | null }>(
    'SELECT moment, finished_at AS "finishedAt" FROM instance_backup WHERE storage = $1 ORDER BY moment',
    [storage.description],
  )
  return rows.map(({ moment, finishedAt }) => [folderNameOf(moment), finishedAt?.toISOString() ?? null])
}

/** Connections of backups to the database of the instance. */
const countBackupConnections = async () =>
  (
    await instance.pool.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'colophon backup'",
    )
  ).rowCount

const describeSchema = async (pool: pg.Pool) =>
  (
    await pool.query(
      `SELECT conrelid::regclass::text AS table, conname AS name, pg_get_constraintdef(oid) AS definition, convalidated AS valid
       FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND conparentid = 0
       UNION ALL
       SELECT tgrelid::regclass::text, tgname, pg_get_triggerdef(oid), tgenabled = 'O' FROM pg_trigger WHERE NOT tgisinternal
       ORDER BY 1, 2, 3`,
    )
  ).rows

test('restores every row, and the schema with its constraints and triggers', async () => {
  const { storage } = await createStorage()
  const { projectId } = await instance.createProject('Weird \\ "names"\tand\nlines')
  await instance.createRunnerToken([projectId])
  await instance.addModel({}, 'a key of the provider')
  await createClaimedTurn(instance, projectId, 'test-model')
  await deliver(instance.pool, projectId, '/waiting')
  const backup = await backUp(instance, storage)
  await verifyBackup(storage, backup, [identity])
  expect(backup.manifest.sealingKeyIds).toHaveLength(1)
  expect((await readBackupHistory(instance.database)).last?.finishedAt.toISOString()).toBe(backup.manifest.finishedAt)
  const target = await createTarget()
  await restoreInto(target.environment, storage, backup, { keepSessions: true })
  const restoredRows = await hashTables(target.pool)
  const rows = await hashTables(instance.pool)
  // Work goes on with new attempts.
  for (const table of ['job', 'turn', 'turn_attempt']) {
    expect(restoredRows[table]).not.toBe(rows[table])
    delete restoredRows[table]
    delete rows[table]
  }
  expect(restoredRows).toEqual(rows)
  expect(await describeSchema(target.pool)).toEqual(await describeSchema(instance.pool))
  expect(await readAuditedRestores(target.pool)).toEqual([{ backup: backup.folder }])
  // Identity columns continue after the rows that are there.
  const restored = createDatabase(target.pool)
  expect(await deliver(target.pool, projectId, '/waiting')).toBe('repeated')
  expect(await deliver(target.pool, projectId, '/later')).toBe('stored')
  expect(await restored.selectFrom('view_batch').select('id').execute()).toHaveLength(2)
})

test('has every view that was acknowledged before the moment, once, while views are written and loaded', async () => {
  const { storage } = await createStorage()
  const { projectId } = await instance.createProject('Busy')
  const { pool } = instance
  const clickhouse = createClickhouse({ url: instance.clickhouseUrl })
  const loader = startLoader({ pool, clickhouse, log })
  const acknowledgedAt = new Map<string, Date>()
  const startedAt = new Map<string, Date>()
  let isStopping = false
  const write = async (writer: number) => {
    for (let sent = 0; !isStopping; sent++) {
      const path = `/${writer}/${sent}`
      startedAt.set(path, new Date())
      await deliver(pool, projectId, path, sent % 5 === 0 ? new Date(Date.now() - 40 * 86_400_000) : undefined)
      acknowledgedAt.set(path, new Date())
    }
  }
  const writers = [1, 2, 3, 4].map(write)
  const backups: (CreatedBackup & { finishedAt: Date })[] = []
  await expect.poll(() => acknowledgedAt.size).toBeGreaterThan(200)
  for (let count = 0; count < 2; count++) backups.push({ ...(await backUp(instance, storage)), finishedAt: new Date() })
  isStopping = true
  await Promise.all(writers)
  await loader.stop()
  await clickhouse.close()

  for (const backup of backups) {
    const target = await createTarget()
    await restoreInto(target.environment, storage, backup)
    await loadPendingViews(target)
    const views = await countViews(target.clickhouseUrl, projectId)
    const moment = new Date(backup.manifest.moment)
    const before = [...acknowledgedAt].filter(([, at]) => at < moment).map(([path]) => path)
    const after = [...startedAt].filter(([, at]) => at > backup.finishedAt).map(([path]) => path)
    expect(before.length).toBeGreaterThan(100)
    expect(before.filter((path) => views.get(path) !== 1)).toEqual([])
    expect(after.filter((path) => views.has(path))).toEqual([])
    expect([...views.values()].filter((count) => count !== 1)).toEqual([])
  }
})

test('views are counted once when PostgreSQL is older than ClickHouse, and when it is newer', async () => {
  const { storage } = await createStorage()
  const { projectId } = await instance.createProject('Two moments')
  const { pool } = instance
  await deliver(pool, projectId, '/loaded')
  await loadPendingViews(instance)
  await deliver(pool, projectId, '/waits-in-older')
  const older = await backUp(instance, storage)
  await loadPendingViews(instance)
  await deliver(pool, projectId, '/loaded-later')
  await loadPendingViews(instance)
  await deliver(pool, projectId, '/waits-in-newer')
  const newer = await backUp(instance, storage)

  const olderPostgres = await createTarget()
  await restoreInto(olderPostgres.environment, storage, newer, { only: 'clickhouse' })
  await restoreInto(olderPostgres.environment, storage, older, { only: 'postgres' })
  await loadPendingViews(olderPostgres)
  const all = { '/loaded': 1, '/waits-in-older': 1, '/loaded-later': 1 }
  expect(Object.fromEntries(await countViews(olderPostgres.clickhouseUrl, projectId))).toEqual(all)

  const newerPostgres = await createTarget()
  await restoreInto(newerPostgres.environment, storage, older, { only: 'clickhouse' })
  await restoreInto(newerPostgres.environment, storage, newer, { only: 'postgres' })
  await loadPendingViews(newerPostgres)
  const left = { '/loaded': 1, '/waits-in-newer': 1 }
  expect(Object.fromEntries(await countViews(newerPostgres.clickhouseUrl, projectId))).toEqual(left)
})

test('ends what may have been continued after the moment: attempts, deliveries and sessions', async () => {
  const { storage } = await createStorage()
  const { projectId } = await instance.createProject('With work')
  const endpoint = 'end_01k0000000e0000000000000a1'
  await instance.pool.query(
    `INSERT INTO webhook_event (project_id, id, type, data, at) VALUES ($1, 'evt_1', 'webhook.test', '{}', now())`,
    [projectId],
  )
  await instance.pool.query(
    `INSERT INTO webhook_endpoint (project_id, id, name, kind, target, events, max_per_second, responsible)
     VALUES ($1, $2, 'CI', 'webhook', 'https://ci.example', '{}', 5, 'operator')`,
    [projectId, endpoint],
  )
  await instance.pool.query(
    `INSERT INTO endpoint_delivery (project_id, endpoint_id, event_id, id, order_key) VALUES ($1, $2, 'evt_1', 'dlv_1', 'x')`,
    [projectId, endpoint],
  )
  await instance.pool.query(
    `INSERT INTO one_time_link (token_hash, expires_at) VALUES (decode(repeat('ab', 32), 'hex'), now() + interval '1 day')`,
  )
  await instance.pool.query(
    `WITH notice AS (
       INSERT INTO budget_notice (scope, month, percent, unit, used, max) VALUES ($1, '2026-11-01', 80, 'usd', 8, 10) RETURNING *
     )
     INSERT INTO budget_notice_email (scope, month, percent, email) SELECT scope, month, percent, 'o@example.com' FROM notice`,
    [projectId],
  )
  await instance.addModel({ name: 'model-of-work', isDefault: false })
  const running = await createClaimedTurn(instance, projectId, 'model-of-work')
  const backup = await backUp(instance, storage)
  const target = await createTarget()
  await restoreInto(target.environment, storage, backup)
  const attempts = new AttemptStore(createDatabase(target.pool))
  expect(await instance.stores.attempts.findLive(hashKey(running.attemptToken))).toMatchObject({
    turnId: running.turnId,
  })
  expect(await attempts.findLive(hashKey(running.attemptToken))).toBe(undefined)
  const { rows: turns } = await target.pool.query('SELECT status, deadline_at FROM turn WHERE id = $1', [
    running.turnId,
  ])
  expect(turns).toEqual([{ status: 'running', deadline_at: null }])
  const { rows } = await target.pool.query(
    `SELECT status, attempts, error FROM endpoint_delivery JOIN endpoint_attempt ON delivery_id = id WHERE id = 'dlv_1'`,
  )
  expect(rows).toEqual([{ status: 'failed', attempts: 1, error: expect.stringContaining('backup was restored') }])
  expect((await target.pool.query('SELECT FROM one_time_link')).rowCount).toBe(0)
  expect((await target.pool.query('SELECT FROM budget_notice_email')).rowCount).toBe(0)
})

test('lists complete backups only, and finds every kind of damage', async () => {
  const { storage, root } = await createStorage()
  await expect(findBackup(storage, undefined)).rejects.toThrow('There is no backup')
  const backup = await backUp(instance, storage)
  const incomplete = await backUp(instance, storage)
  await rm(join(root, incomplete.folder, 'manifest.json'))
  expect((await listBackups(storage)).map(({ folder }) => folder)).toEqual([backup.folder])
  expect((await findBackup(storage, undefined)).folder).toBe(backup.folder)
  await expect(findBackup(storage, incomplete.folder)).rejects.toThrow('not complete')

  const other = await generateX25519Identity()
  await expect(verifyBackup(storage, backup, [other])).rejects.toThrow('encrypted for another one')
  const files = await readdir(join(root, backup.folder, 'postgres'))
  const path = join(root, backup.folder, 'postgres', files[0] ?? '')
  const content = await readFile(path)
  expect(content.toString('latin1')).toMatch(/^age-encryption\.org\/v1\n-> X25519 /)
  const flipped = Buffer.from(content)
  flipped[flipped.length - 20] = (flipped[flipped.length - 20] ?? 0) ^ 1
  await writeFile(path, flipped)
  await expect(verifyBackup(storage, backup, [])).rejects.toThrow('checksum')
  await expect(verifyBackup(storage, backup, [identity])).rejects.toBeInstanceOf(BackupError)
  await writeFile(path, content)
  await truncate(path, content.length - 1)
  await expect(verifyBackup(storage, backup, [])).rejects.toThrow('bytes instead of')
  await rm(path)
  await expect(verifyBackup(storage, backup, [])).rejects.toThrow('is missing')
  const manifestFile = join(root, backup.folder, 'manifest.json')
  const manifest = await readFile(manifestFile, 'utf8')
  await writeFile(manifestFile, '{"format":2}')
  await expect(findBackup(storage, backup.folder)).rejects.toThrow('newer version')
  await writeFile(manifestFile, ' '.repeat(17 * 1024 * 1024))
  await expect(findBackup(storage, backup.folder)).rejects.toThrow('too large')
  await rm(manifestFile)
  await symlink('/dev/zero', manifestFile)
  await expect(findBackup(storage, backup.folder)).rejects.toThrow('ELOOP')
  await rm(manifestFile)
  await writeFile(manifestFile, manifest.replace('"version": "', '"version": "\\u001b[2J'))
  await expect(findBackup(storage, backup.folder)).rejects.toThrow('damaged')
})

test('a manifest that someone has copied or changed is refused', async () => {
  const { storage, root } = await createStorage()
  const backup = await backUp(instance, storage)
  const file = (folder: string) => join(root, folder, 'manifest.json')
  const text = await readFile(file(backup.folder), 'utf8')
  const copy = '2999-01-01T00-00-00.000Z'
  await mkdir(join(root, copy))
  await writeFile(file(copy), text)
  await expect(findBackup(storage, undefined)).rejects.toThrow('it belongs to the backup of')
  await writeFile(file(copy), text.replace(backup.manifest.moment, '2999-99-99T99:99:99.999Z'))
  await expect(findBackup(storage, undefined)).rejects.toBeInstanceOf(BackupError)
  await rm(join(root, copy), { recursive: true })
  await mkdir(join(root, 'zzz'))
  await writeFile(file('zzz'), text)
  const found = await findBackup(storage, undefined)
  expect(found.folder).toBe(backup.folder)
  expect(found.manifestSha256).toBe(backup.manifestSha256)

  const postgres = { ...found.manifest.postgres }
  postgres.tables = postgres.tables.filter(({ name }) => name !== 'audit_entry')
  const target = await createTarget()
  const changed = { ...found, manifest: { ...found.manifest, postgres } }
  await expect(restoreInto(target.environment, storage, changed)).rejects.toThrow('does not have the table audit_entry')
})

test('an identity that is not valid is not part of the message', async () => {
  const { storage } = await createStorage()
  const backup = await backUp(instance, storage)
  const mistyped = `${identity.slice(0, -1)}${identity.endsWith('Q') ? 'P' : 'Q'}`
  const error: Error = await verifyBackup(storage, backup, [mistyped]).then(
    () => new Error('it was accepted'),
    (reason) => reason,
  )
  expect(error.message).toContain('COLOPHON_BACKUP_IDENTITY is not a valid identity')
  expect(`${error.stack} ${error.cause}`).not.toContain(mistyped.slice(0, 30))
})

test('a restore refuses databases that are in use, and a failed one changes nothing and can be repeated', async () => {
  const { storage, root } = await createStorage()
  const { projectId } = await instance.createProject('To restore')
  await deliver(instance.pool, projectId, '/page')
  await loadPendingViews(instance)
  const backup = await backUp(instance, storage)
  await expect(restoreInto(instance.environment, storage, backup)).rejects.toThrow('is not empty')

  const target = await createTarget()
  const path = join(root, backup.folder, 'postgres', 'project.copy.zst.age')
  const content = await readFile(path)
  await rm(path)
  await expect(restoreInto(target.environment, storage, backup)).rejects.toThrow('is missing')
  expect((await target.pool.query('SELECT FROM project')).rowCount).toBe(0)
  await writeFile(path, content)
  const clickhouse = createClickhouse({ url: target.clickhouseUrl })
  const loader = startLoader({ pool: target.pool, clickhouse, log })
  await expect
    .poll(() => restoreInto(target.environment, storage, backup).catch(String))
    .toContain('A worker is connected')
  await loader.stop()
  await clickhouse.close()
  await expect.poll(() => restoreInto(target.environment, storage, backup).catch(String)).toBe(undefined)
  expect((await countViews(target.clickhouseUrl, projectId)).get('/page')).toBe(1)
  await expect(restoreInto(target.environment, storage, backup)).rejects.toThrow('is not empty')
})

test('a restore that was interrupted after its commit only finishes', async () => {
  const { storage } = await createStorage()
  const { projectId } = await instance.createProject('Committed')
  await deliver(instance.pool, projectId, '/page')
  await loadPendingViews(instance)
  const older = await backUp(instance, storage)
  const backup = await backUp(instance, storage)
  const target = await createTarget()
  const migrate = () => Promise.reject(new Error('Temporal is down'))
  await expect(restoreInto(target.environment, storage, backup, { migrate })).rejects.toThrow('Temporal is down')
  await expect(restoreInto(target.environment, storage, older)).rejects.toThrow('is not empty')
  await restoreInto(target.environment, storage, backup)
  expect(await readAuditedRestores(target.pool)).toEqual([{ backup: backup.folder }])
  expect((await countViews(target.clickhouseUrl, projectId)).get('/page')).toBe(1)
  await expect(restoreInto(target.environment, storage, backup)).rejects.toThrow('is not empty')
})

test('while a restore of the views is interrupted, no views are loaded, and /readyz reports it', async () => {
  const { storage, root } = await createStorage()
  const { projectId } = await instance.createProject('Interrupted')
  await deliver(instance.pool, projectId, '/restored')
  await loadPendingViews(instance)
  await deliver(instance.pool, projectId, '/waiting')
  const backup = await backUp(instance, storage)
  const target = await createTarget()
  await restoreInto(target.environment, storage, backup, { only: 'postgres' })
  const [file] = await readdir(join(root, backup.folder, 'clickhouse'))
  const path = join(root, backup.folder, 'clickhouse', file ?? '')
  const content = await readFile(path)
  await truncate(path, content.length - 1)
  const restoreViews = () => restoreInto(target.environment, storage, backup, { only: 'clickhouse' })
  await expect(restoreViews()).rejects.toBeInstanceOf(BackupError)

  const clickhouse = createClickhouse({ url: target.clickhouseUrl })
  const isReady = createClickhouseCheck(clickhouse)
  await expect(isReady()).rejects.toMatchObject({ reason: 'restore_unfinished' })
  const lines: string[] = []
  const loaderLog = createLog('test', { level: 'error' }, { write: (line: string) => void lines.push(line) })
  const loader = startLoader({ pool: target.pool, clickhouse, log: loaderLog })
  await expect.poll(() => lines.join()).toContain('a restore was interrupted')
  await expect(restoreViews()).rejects.toThrow('A worker is connected')
  expect((await target.pool.query('SELECT FROM view_batch')).rowCount).toBe(1)
  await loader.stop()

  await writeFile(path, content)
  await expect.poll(() => restoreViews().catch(String)).toBe(undefined)
  await isReady()
  const restarted = startLoader({ pool: target.pool, clickhouse, log })
  const views = async () => Object.fromEntries(await countViews(target.clickhouseUrl, projectId))
  await expect.poll(views).toEqual({ '/restored': 1, '/waiting': 1 })
  await restarted.stop()
  await clickhouse.close()
})

test('what was written to PostgreSQL during the restore of the views is not replaced', async () => {
  const { storage, root } = await createStorage()
  const backup = await backUp(instance, storage)
  const target = await createTarget()
  class StorageOfStartedInstance extends DirectoryStorage {
    override async *read(path: string): AsyncGenerator<Uint8Array> {
      if (path.includes('/clickhouse/'))
        await target.pool.query('INSERT INTO instance_backup_schedule DEFAULT VALUES ON CONFLICT DO NOTHING')
      yield* super.read(path)
    }
  }
  const restored = restoreInto(target.environment, new StorageOfStartedInstance(root), backup)
  await expect(restored).rejects.toThrow('the table instance_backup_schedule has rows')
  expect((await target.pool.query('SELECT FROM instance_backup_schedule')).rowCount).toBe(1)
})

test('knows the backups from its moment on after a restore, and counts only the one that was restored', async () => {
  const { storage, root } = await createStorage()
  const first = await backUp(instance, storage)
  const restored = await backUp(instance, storage)
  const newer = await backUp(instance, storage)
  await mkdir(join(root, '2999-01-01T00-00-00.000Z'))
  const target = await createTarget()
  await restoreInto(target.environment, storage, restored)
  expect(await readRecordedBackups(target.pool, storage)).toEqual([
    [first.folder, first.manifest.finishedAt],
    [restored.folder, restored.manifest.finishedAt],
    [newer.folder, null],
  ])
})

test('the columns of the views are those of the backup, in its order', async () => {
  const { storage } = await createStorage()
  const { projectId } = await instance.createProject('Columns')
  await deliver(instance.pool, projectId, '/page')
  await loadPendingViews(instance)
  const { folder, manifest, ...rest } = await backUp(instance, storage)
  const reverse = async (file: (typeof manifest.clickhouse.views.files)[number]) => {
    let text = ''
    for await (const chunk of readBackupFile(storage, folder, file, [identity])) text += Buffer.from(chunk).toString()
    const lines = text.split('\n').map((line) => line.split('\t').toReversed().join('\t'))
    async function* content() {
      yield Buffer.from(lines.join('\n'))
    }
    return writeBackupFile(storage, { folder, name: file.name }, content(), { recipients })
  }
  const { views, sentBatches } = manifest.clickhouse
  const clickhouse = {
    ...manifest.clickhouse,
    views: { columns: views.columns.toReversed(), files: await Promise.all(views.files.map(reverse)) },
    sentBatches: { columns: sentBatches.columns.toReversed(), file: await reverse(sentBatches.file) },
  }
  const target = await createTarget()
  await restoreInto(target.environment, storage, { ...rest, folder, manifest: { ...manifest, clickhouse } })
  expect(Object.fromEntries(await countViews(target.clickhouseUrl, projectId))).toEqual({ '/page': 1 })
})

test('views that a newer version has written are refused', async () => {
  const { storage } = await createStorage()
  const backup = await backUp(instance, storage)
  const migrations = [...backup.manifest.clickhouse.migrations, { name: '9999_newer', checksum: '' }]
  const newer = { ...backup.manifest, clickhouse: { ...backup.manifest.clickhouse, migrations } }
  const target = await createTarget()
  await expect(
    restoreInto(target.environment, storage, { ...backup, manifest: newer }, { only: 'clickhouse' }),
  ).rejects.toThrow('does not know 9999_newer')
})

test('partitions of delivery IDs are added and dropped while the other tables are written', async () => {
  const { root } = await createStorage()
  const { projectId } = await instance.createProject('Partitions')
  await deliver(instance.pool, projectId, '/page')
  const day = (number: number) => `2001-01-0${number} 00:00Z`
  const add = (table: string, from: number) =>
    instance.pool.query('SELECT add_delivery_partition($1, $2, $3)', [table, day(from), day(from + 1)])
  await add('log_line_delivery', 1)
  let changes = 0
  const storage = new DirectoryWithEvents(root, async (path) => {
    // The table that comes before it is being read.
    if (path.includes('/beacon_delivery.'))
      await instance.pool.query("SELECT drop_delivery_partition('log_line_delivery_20010101_0000')")
    if (!path.includes('/project.')) return
    for (const table of ['beacon_delivery', 'batch_delivery', 'log_line_delivery']) await add(table, 2)
    changes += 1
  })
  const backup = await backUp(instance, storage)
  expect(changes).toBe(1)
  const partitions = backup.manifest.postgres.partitions.map(({ parent }) => parent)
  expect(new Set(partitions)).toEqual(new Set(['beacon_delivery', 'batch_delivery', 'log_line_delivery']))
  const target = await createTarget()
  await restoreInto(target.environment, storage, backup)
  expect(await deliver(target.pool, projectId, '/page')).toBe('repeated')
})

test('a storage that does not respond ends the backup, which leaves no lock and no snapshot', async () => {
  const { root } = await createStorage()
  await instance.createProject('Not written')
  const hanging = new DirectoryWithEvents(root, (path) =>
    path.includes('/project.') ? new Promise(() => {}) : Promise.resolve(),
  )
  const storage = new ResponsiveStorage(hanging, { maxSilenceMs: 500 })
  await expect(backUp(instance, storage)).rejects.toThrow('it did not respond for 0.5 seconds')
  expect(await countBackupConnections()).toBe(0)

  const patient = new ResponsiveStorage(hanging)
  const stop = new AbortController()
  const aborted = backUp(instance, patient, { signal: stop.signal })
  await expect.poll(async () => (await readdir(root)).length).toBe(1)
  stop.abort(new Error('the process stops'))
  await expect(aborted).rejects.toThrow('the process stops')
  expect(await countBackupConnections()).toBe(0)
})

test('an aborted backup does not wait for what PostgreSQL is doing', async () => {
  const { storage } = await createStorage()
  const worker = await instance.pool.connect()
  onTestFinished(() => worker.release(true))
  await worker.query("SELECT pg_advisory_lock(hashtextextended('delete expired views', 0))")
  const stop = new AbortController()
  const aborted = backUp(instance, storage, { signal: stop.signal }).catch(String)
  await expect.poll(countBackupConnections).toBe(1)
  stop.abort(new Error('the process stops'))
  expect(await aborted).toContain('the process stops')
  await expect.poll(countBackupConnections).toBe(0)
})

test('what was written of a backup that fails is deleted', async () => {
  const { root } = await createStorage()
  const storage = new DirectoryWithEvents(root, async (path) => {
    if (path.includes('/clickhouse/')) throw new Error('the disk is full')
  })
  await expect(backUp(instance, storage)).rejects.toThrow('the disk is full')
  expect(await readdir(root)).toEqual([])
  expect(await readRecordedBackups(instance.pool, storage)).toEqual([])
})

test('a backup is complete although PostgreSQL has restarted while the views were written', async () => {
  const { root } = await createStorage()
  const storage = new DirectoryWithEvents(root, async (path) => {
    if (path.includes('/clickhouse/'))
      await instance.pool.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'colophon backup'",
      )
  })
  const backup = await backUp(instance, storage)
  expect(await readRecordedBackups(instance.pool, storage)).toEqual([[backup.folder, backup.manifest.finishedAt]])
})

/** Returns how to unlock it. */
async function lockTable(name: string): Promise<() => Promise<unknown>> {
  const client = await instance.pool.connect()
  onTestFinished(() => client.release(true))
  await client.query(`BEGIN; LOCK TABLE ${name}`)
  return () => client.query('ROLLBACK')
}

test('says why no snapshot could be taken', async () => {
  const { storage } = await createStorage()
  await lockTable('project')
  await expect(backUp(instance, storage)).rejects.toThrow('lock timeout')
})

test('has nothing that began after its moment, although it waited for a table', async () => {
  const { storage } = await createStorage()
  const unlock = await lockTable('project')
  const writing = backUp(instance, storage)
  await expect
    .poll(async () => (await instance.pool.query('SELECT FROM pg_locks WHERE NOT granted')).rowCount)
    .toBeGreaterThan(0)
  const { rows } = await instance.pool.query<{ at: Date }>(
    `INSERT INTO budget_notice (scope, month, percent, unit, used, max) VALUES ('late', '2026-11-01', 80, 'usd', 8, 10)
     RETURNING reached_at AS at`,
  )
  await unlock()
  const backup = await writing
  expect(Date.parse(backup.manifest.moment)).toBeGreaterThanOrEqual(rows[0]?.at.getTime() ?? Number.NaN)
})

test('batches that ClickHouse did not send completely are noticed', async () => {
  const { storage } = await createStorage()
  const { projectId } = await instance.createProject('Sent')
  await deliver(instance.pool, projectId, '/page')
  await loadPendingViews(instance)
  const clickhouse = createClickhouse({ url: instance.clickhouseUrl })
  onTestFinished(() => clickhouse.close())
  const exec = clickhouse.exec.bind(clickhouse)
  clickhouse.exec = ((parameters: { query: string }) =>
    exec({ ...parameters, query: parameters.query.replace('WHERE sent_at', 'WHERE 0 AND sent_at') })) as never
  await expect(backUp(instance, storage, { clickhouse })).rejects.toThrow(/ClickHouse returned 0 of \d+ batches/)
})

test('a recipient that is mistyped is noticed before anything is written', async () => {
  const { storage, root } = await createStorage()
  const [recipient = ''] = recipients
  const mistyped = `${recipient.slice(0, -1)}${recipient.endsWith('q') ? 'p' : 'q'}`
  const written = backUp(instance, storage, { recipients: [recipient, mistyped] })
  await expect(written).rejects.toThrow(`COLOPHON_BACKUP_RECIPIENTS contains ${mistyped}`)
  expect(await readdir(root)).toEqual([])
})
