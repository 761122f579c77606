import { afterAll, expect, inject, test, vi } from 'vitest'
import { withDatabaseRole } from '../../../../testing/harness/database-roles.ts'
import { createTestInstance } from '../../../../testing/harness/test-instance.ts'
import { loadMigrateConfig } from '../../platform/config.ts'
import { createLog, type Log } from '../../platform/log.ts'
import { createPostgresPool } from '../../platform/postgres.ts'
import { warnOfWritableAuditLog } from './warn-of-writable-audit-log.ts'

const instance = await createTestInstance(inject('services'), 'audit-warning')
afterAll(() => instance.drop())

async function warningsOf(environment: Record<string, string>): Promise<unknown[]> {
  const pool = createPostgresPool(loadMigrateConfig(environment).postgres, createLog('test', { level: 'error' }))
  const query = vi.spyOn(pool, 'query')
  const warn = vi.fn()
  const warning = warnOfWritableAuditLog(pool, { warn } as unknown as Log)
  await query.mock.results[0]?.value
  await pool.end()
  warning.stop()
  return warn.mock.calls
}

test('warns if api connects as the owner of the tables, and only then', async () => {
  expect(await warningsOf(instance.environment)).toEqual([
    [{ role: expect.any(String) }, expect.stringContaining('can change the audit log')],
  ])
  expect(await warningsOf(withDatabaseRole('api', instance.environment))).toEqual([])
})
