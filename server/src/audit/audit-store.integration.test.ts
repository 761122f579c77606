import { afterAll, expect, inject, test } from 'vitest'
import { createTestInstance } from '../../../testing/harness/test-instance.ts'
import { newId } from '../platform/ids.ts'
import { recordAudit } from './audit-store.ts'

const instance = await createTestInstance(inject('services'), 'audit store')
afterAll(() => instance.drop())

const { audit, projects } = instance.stores
const firstPage = { limit: 100, before: undefined }
const action = { action: 'project.renamed', subject: 'prj_x', detail: { name: 'It’s "quoted"', count: 1 } } as const
const database = instance.database

test('returns an entry as it was written', async () => {
  const projectId = newId('prj')
  const keyId = newId('key')
  await database
    .transaction()
    .execute((tx) =>
      recordAudit(tx, projectId, { kind: 'key', keyId, requestId: 'req_1', ipAddress: '192.0.2.7' }, action),
    )
  expect(await audit.list(projectId, firstPage)).toEqual([
    {
      ...action,
      id: expect.stringMatching(/^aud_/),
      at: expect.any(Date),
      actor: keyId,
      requestId: 'req_1',
      ipAddress: '192.0.2.7',
    },
  ])
})

test('leaves no entry when the transaction fails', async () => {
  const projectId = newId('prj')
  const failing = database.transaction().execute(async (tx) => {
    await recordAudit(tx, projectId, { kind: 'operator' }, action)
    throw new Error('the action failed')
  })
  await expect(failing).rejects.toThrow('the action failed')
  expect(await audit.list(projectId, firstPage)).toEqual([])
})

test.each([
  "UPDATE audit_entry SET actor = 'someone else'",
  'UPDATE audit_entry SET actor = actor WHERE false',
  'DELETE FROM audit_entry',
  'TRUNCATE audit_entry',
])('rejects %s', async (statement) => {
  const { id } = await projects.create('Audited', { kind: 'operator' })
  const before = await audit.list(id, firstPage)
  await expect(instance.pool.query(statement)).rejects.toThrow('audit_entry is insert only')
  expect(await audit.list(id, firstPage)).toEqual(before)
})

test('keeps the entries of a deleted project', async () => {
  const { id } = await projects.create('Short-lived', { kind: 'operator' })
  await instance.pool.query('DELETE FROM project WHERE id = $1', [id])
  expect(await audit.list(id, firstPage)).toMatchObject([{ action: 'project.created', subject: id }])
})

test('deletes entries past the retention, but none that are younger than 90 days', async () => {
  const { id } = await projects.create('Old', { kind: 'operator' })
  for (const days of [100, 800])
    await instance.pool.query(
      `INSERT INTO audit_entry (project_id, id, at, actor, action, subject)
       VALUES ($1, $2, now() - make_interval(days => $3), 'operator', 'project.renamed', $1)`,
      [id, newId('aud'), days],
    )
  expect(await audit.deleteExpired({ retentionDays: 730, limit: 100 })).toBe(1)
  expect(await audit.list(id, firstPage)).toHaveLength(2)
  await expect(audit.deleteExpired({ retentionDays: 0, limit: 100 })).rejects.toThrow('kept for at least 90 days')
  expect(await audit.list(id, firstPage)).toHaveLength(2)
})
