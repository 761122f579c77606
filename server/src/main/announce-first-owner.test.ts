import { expect, test, vi } from 'vitest'
import { PersonStore } from '../people/person-store.ts'
import type { PeopleTables } from '../people/tables.ts'
import { createLog, type Log } from '../platform/log.ts'
import { createDatabase, createPool } from '../platform/postgres.ts'
import { announceFirstOwner } from './announce-first-owner.ts'

test('says why there is no link yet', async () => {
  const pool = createPool({ url: 'postgres://127.0.0.1:1/none', poolSize: 1 }, createLog('test', { level: 'error' }))
  const warn = vi.fn()
  const people = new PersonStore(createDatabase<PeopleTables>(pool))
  const announcing = announceFirstOwner(people, 'https://docs.example.com', { warn } as unknown as Log)
  await vi.waitFor(() => expect(warn).toHaveBeenCalled())
  announcing.stop()
  await pool.end()
  expect(warn.mock.calls).toEqual([
    [{ error: expect.stringContaining('ECONNREFUSED') }, 'the link for the first owner cannot be made yet'],
  ])
})
