import { afterAll, expect, inject, test } from 'vitest'
import { createTestInstance } from '../../../dev-services/test-instance.ts'
import { newId } from '../platform/ids.ts'
import { createDatabase } from '../platform/postgres.ts'
import { recordAudit } from './audit-store.ts'
import type { AuditTables } from './tables.ts'

const instance = await createTestInstance(inject('services'), 'audit store')
afterAll(() => instance.drop())

const { audit, projects } = instance.stores
const everything = { limit: 100, before: undefined }
const act = { action: 'project.renamed', subject: 'prj_x', detail: { name: 'It’s "quoted"', count: 1 } } as const
const database = createDatabase<AuditTables>(instance.pool)

test('an entry comes back as it was written', async () => {
  const projectId = newId('prj')
  const keyId = newId('key')
  await database
    .transaction()
    .execute((tx) => recordAudit(tx, projectId, { kind: 'key', keyId, requestId: 'req_1' }, act))
  expect(await audit.list(projectId, everything)).toEqual([
    { ...act, id: expect.stringMatching(/^aud_/), at: expect.any(Date), actor: keyId, requestId: 'req_1' },
  ])
})

test('an act that did not happen leaves no entry', async () => {
  const projectId = newId('prj')
  const failing = database.transaction().execute(async (tx) => {
    await recordAudit(tx, projectId, { kind: 'operator' }, act)
    throw new Error('the act failed')
  })
  await expect(failing).rejects.toThrow('the act failed')
  expect(await audit.list(projectId, everything)).toEqual([])
})

test.each([
  "UPDATE audit_entry SET actor = 'somebody else'",
  'UPDATE audit_entry SET actor = actor WHERE false',
  'DELETE FROM audit_entry',
  'TRUNCATE audit_entry',
])('%s is refused', async (statement) => {
  const { id } = await projects.create('Watched', { kind: 'operator' })
  const before = await audit.list(id, everything)
  await expect(instance.pool.query(statement)).rejects.toThrow('audit_entry is insert only')
  expect(await audit.list(id, everything)).toEqual(before)
})

test('entries outlive the project that they speak of', async () => {
  const { id } = await projects.create('Short-lived', { kind: 'operator' })
  await instance.pool.query('DELETE FROM project WHERE id = $1', [id])
  expect(await audit.list(id, everything)).toMatchObject([{ action: 'project.created', subject: id }])
})
