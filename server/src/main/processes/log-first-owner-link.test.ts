import { expect, test, vi } from 'vitest'
import { createDatabase } from '../../database/database.ts'
import { PersonStore } from '../../people/person-store.ts'
import { createLog, type Log } from '../../platform/log.ts'
import { createPostgresPool } from '../../platform/postgres.ts'
import { logFirstOwnerLink } from './log-first-owner-link.ts'

test('logs why it cannot create the link yet', async () => {
  const pool = createPostgresPool(
    { url: 'postgres://127.0.0.1:1/none', poolSize: 1 },
    createLog('test', { level: 'error' }),
  )
  const warn = vi.fn()
  const people = new PersonStore(createDatabase(pool))
  const announcement = logFirstOwnerLink(people, 'https://docs.example.com', { warn } as unknown as Log)
  await vi.waitFor(() => expect(warn).toHaveBeenCalled(), 30_000)
  announcement.stop()
  await pool.end()
  expect(warn.mock.calls).toEqual([
    [{ error: expect.stringContaining('ECONNREFUSED') }, 'cannot create the link for the first owner yet: retrying'],
  ])
})
