import type { Pool } from 'pg'
import type { Log } from '../../platform/log.ts'
import { startOnce } from './start-once.ts'

/** Everything else works with one database role for all processes, so that nobody would notice. */
export const warnOfWritableAuditLog = (pool: Pool, log: Log): { stop(): void } =>
  startOnce(
    async () => {
      const { rows } = await pool.query<{ role: string; canChange: boolean }>(
        `SELECT current_user AS role, has_table_privilege('audit_entry', 'UPDATE, DELETE, TRUNCATE, TRIGGER') AS "canChange"`,
      )
      const [{ role, canChange } = { role: '', canChange: false }] = rows
      if (canChange)
        log.warn(
          { role },
          'the database role of this process can change the audit log: give api a role of its own (docs/operations/database-roles.md)',
        )
    },
    'cannot read the privileges of the database role yet: retrying',
    log,
  )
