import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { createEmptyTestInstance, type EmptyTestInstance } from '../../../testing/harness/empty-test-instance.ts'
import { createTestInstance, type TestInstance } from '../../../testing/harness/test-instance.ts'
import { createClickhouse } from './clickhouse.ts'
import { loadMigrateConfig, type ServicesConfig } from './config.ts'
import { createLog } from './log.ts'
import { createPostgresPool } from './postgres.ts'
import { createClickhouseCheck, createPostgresCheck, createTemporalCheck } from './service-checks.ts'
import { createTemporalConnection } from './temporal.ts'

let migrated: TestInstance
let empty: EmptyTestInstance
beforeAll(async () => {
  migrated = await createTestInstance(inject('services'), 'service checks')
  empty = await createEmptyTestInstance(inject('services'), 'service checks empty')
})
afterAll(async () => {
  await migrated.drop()
  await empty.drop()
})

/** The checks of a newly started process. */
function checksIn(instance: EmptyTestInstance, settings: Partial<ServicesConfig> = {}) {
  const config = { ...loadMigrateConfig(instance.environment), ...settings }
  const pool = createPostgresPool(config.postgres, createLog('test', { level: 'error' }))
  const clickhouse = createClickhouse(config.clickhouse)
  const temporal = createTemporalConnection(config.temporal)
  onTestFinished(async () => void (await Promise.all([pool.end(), clickhouse.close(), temporal.close()])))
  return {
    postgres: createPostgresCheck(pool, '0.2.0'),
    clickhouse: createClickhouseCheck(clickhouse),
    temporal: createTemporalCheck(temporal, config.temporal.namespace),
  }
}

test('succeeds when the services work', async () => {
  const { postgres, clickhouse, temporal } = checksIn(migrated)
  await Promise.all([postgres(), clickhouse(), temporal()])
})

test('reports pending migrations and a missing namespace', async () => {
  const { postgres, temporal } = checksIn(empty)
  await expect(postgres()).rejects.toMatchObject({ reason: 'migrations_pending' })
  await expect(temporal()).rejects.toMatchObject({ reason: 'namespace_missing' })
})

test('reports a version that cannot run any longer, also while it runs', async () => {
  const instance = await createTestInstance(inject('services'), 'service checks version')
  onTestFinished(() => instance.drop())
  const { postgres } = checksIn(instance)
  await postgres()
  await instance.pool.query("UPDATE instance_upgrade SET oldest_version = '0.10.0'")
  await expect(postgres()).rejects.toMatchObject({
    reason: 'version_too_old',
    message: expect.stringContaining('Use version 0.10.0 or newer'),
  })
})

test('reports a read-only database, although it accepts connections', async () => {
  const instance = await createTestInstance(inject('services'), 'service checks read only')
  onTestFinished(() => instance.drop())
  const database = new URL(instance.postgresUrl).pathname.slice(1)
  await checksIn(instance).postgres()
  await instance.pool.query(`ALTER DATABASE "${database}" SET default_transaction_read_only = on`)
  await expect(checksIn(instance).postgres()).rejects.toMatchObject({ reason: 'read_only' })
})

test('fails when the services cannot be reached', async () => {
  const { postgres, clickhouse, temporal } = checksIn(migrated, {
    postgres: { url: 'postgres://127.0.0.1:1/nothing', poolSize: 1 },
    clickhouse: { url: 'http://127.0.0.1:1' },
    temporal: { address: '127.0.0.1:1', namespace: 'nothing', tls: false, apiKey: undefined },
  })
  await expect(postgres()).rejects.toThrow('ECONNREFUSED')
  await expect(clickhouse()).rejects.toThrow('ECONNREFUSED')
  await expect(temporal()).rejects.toThrow()
})
