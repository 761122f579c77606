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
    .execute((tx) => recordAudit(tx, projectId, { kind: 'key', keyId, requestId: 'req_1' }, action))
  expect(await audit.list(projectId, firstPage)).toEqual([
    { ...action, id: expect.stringMatching(/^aud_/), at: expect.any(Date), actor: keyId, requestId: 'req_1' },
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
