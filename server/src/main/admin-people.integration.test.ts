/** `colophon-server admin operator` and `owner-link` as they are typed, on PostgreSQL. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import { createTestInstance } from '../../../dev-services/test-instance.ts'

const instance = await createTestInstance(inject('services'), 'admin-people')
afterAll(() => instance.drop())
const { projects, members, invitations, people } = instance.stores

function admin(...args: string[]) {
  const program = join(import.meta.dirname, 'colophon-server.ts')
  const env = { PATH: process.env.PATH, ...instance.environment }
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'admin', ...args], { env, encoding: 'utf8' })
  return { status, stdout, said: stderr }
}

test('somebody who was invited becomes an operator, and then no first owner is needed', async () => {
  const operator = { kind: 'operator' } as const
  const { id } = await projects.create('Docs', operator)
  const { token } = await invitations.create(id, { email: 'early@example.com', role: 'viewer' }, operator)
  await invitations.acceptAsNew(token, { name: 'Early', password: 'correct horse battery staple' }, 'test')
  expect(admin('owner-link')).toMatchObject({ status: 0, stdout: expect.stringContaining('/welcome#') })

  expect(admin('operator', '--email', 'nobody@example.com')).toMatchObject({
    status: 1,
    said: expect.stringContaining('Nobody here has the address nobody@example.com.'),
  })
  expect(await people.hasOperator()).toBe(false)
  expect(admin('operator', '--email', 'Early@example.com')).toMatchObject({ status: 0 })
  expect(await people.hasOperator()).toBe(true)
  expect(admin('owner-link')).toMatchObject({ status: 2, said: expect.stringContaining('admin operator') })
})

test('a member who is added at the machine still needs an invitation, and the command says so', async () => {
  const { id } = await projects.create('Docs', { kind: 'operator' })
  const typed = ['member', 'add', '--project', id, '--role', 'owner', '--email']
  expect(admin(...typed, 'writer@example.com')).toMatchObject({
    status: 0,
    said: expect.stringContaining('invitation'),
  })
  expect(admin(...typed, 'admin@localhost')).toMatchObject({ status: 1, said: expect.stringContaining('can sign in') })
  expect(await members.list(id, { limit: 10, before: undefined })).toMatchObject([
    { email: 'writer@example.com', hasJoined: false },
  ])
})
