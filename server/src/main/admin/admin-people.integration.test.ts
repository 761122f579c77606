/** Runs `colophon-server admin operator …`, `owner-link …` and `member …` on PostgreSQL. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import { createTestInstance } from '../../../../testing/harness/test-instance.ts'

const instance = await createTestInstance(inject('services'), 'admin-people')
afterAll(() => instance.drop())
const { projects, members, invitations, people } = instance.stores

function admin(...args: string[]) {
  const program = join(import.meta.dirname, '../colophon-server.ts')
  const env = { PATH: process.env.PATH, ...instance.environment }
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'admin', ...args], { env, encoding: 'utf8' })
  return { status, stdout, stderr }
}

test('makes an invited person an operator, after which there is no link for a first owner', async () => {
  const operator = { kind: 'operator' } as const
  const { id } = await projects.create('Docs', operator)
  const { token } = await invitations.create(id, { email: 'early@example.com', role: 'viewer' }, operator)
  await invitations.acceptAsNew(token, { name: 'Early', password: 'correct horse battery staple' }, 'test')
  expect(admin('owner-link', 'create')).toMatchObject({ status: 0, stdout: expect.stringContaining('/welcome#') })
  expect(admin('operator', 'list')).toMatchObject({ status: 0, stdout: '' })

  expect(admin('operator', 'add', '--email', 'nobody@example.com')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('nobody@example.com'),
  })
  expect(await people.hasOperator()).toBe(false)
  expect(admin('operator', 'add', '--email', 'Early@example.com')).toMatchObject({ status: 0 })
  expect(await people.hasOperator()).toBe(true)
  expect(admin('operator', 'list').stdout).toMatch(/^per_\w+ {2}early@example\.com {2}Early\n$/)
  expect(admin('owner-link', 'create')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('admin operator add'),
  })
  expect(admin('password-link', 'create', '--email', 'early@example.com')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('/new-password#'),
  })
})

test('says that an added member still needs an invitation, and lists them as not joined', async () => {
  const { id } = await projects.create('Docs', { kind: 'operator' })
  const addMember = ['member', 'add', '--project', id, '--role', 'owner', '--email']
  expect(admin(...addMember, 'writer@example.com')).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('invitation'),
  })
  expect(admin(...addMember, 'admin@localhost')).toMatchObject({ status: 1, stdout: '' })
  expect(await members.list(id, { limit: 10, before: undefined })).toMatchObject([
    { email: 'writer@example.com', hasJoined: false },
  ])
  expect(admin('member', 'list', '--project', id).stdout).toMatch(
    /^mbr_\w+ {2}owner {2}not joined {2}\S+Z {2}writer@example\.com\n$/,
  )
})
