/** Runs `colophon-server admin operator …`, `owner-link …` and `member …` on PostgreSQL. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import { withDatabaseRoleOf } from '../../../../testing/harness/database-roles.ts'
import { createTestInstance } from '../../../../testing/harness/test-instance.ts'
import { scopes } from '../../keys/scopes.ts'

const instance = await createTestInstance(inject('services'), 'admin-people')
afterAll(() => instance.drop())
const { projects, members, invitations, people } = instance.stores

function admin(...args: string[]) {
  const program = join(import.meta.dirname, '../colophon-server.ts')
  const env = { PATH: process.env.PATH, ...withDatabaseRoleOf(['admin', ...args], instance.environment) }
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'admin', ...args], { env, encoding: 'utf8' })
  return { status, stdout, stderr }
}

test('makes an invited person an operator, after which there is no link for a first owner', async () => {
  const operator = { kind: 'operator' } as const
  const { id } = await projects.create('Docs', operator)
  const { token } = await invitations.create(id, { email: 'early@example.com', role: 'viewer' }, operator)
  await invitations.acceptAsNew(
    token,
    { name: 'Early', password: 'correct horse battery staple' },
    { requestId: 'test', ipAddress: '127.0.0.1' },
  )
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

test('lists, disables, enables and deletes people, ends their sessions, and takes the operator right away', async () => {
  const operator = { kind: 'operator' } as const
  const { id } = await projects.create('Docs', operator)
  for (const name of ['ada', 'robin']) {
    const { token } = await invitations.create(id, { email: `${name}@example.com`, role: 'owner' }, operator)
    await invitations.acceptAsNew(
      token,
      { name, password: 'correct horse battery staple' },
      { requestId: 'test', ipAddress: '127.0.0.1' },
    )
  }
  const robin = { kind: 'person', email: 'robin@example.com' } as const
  const input = { name: 'CI', scopes, allowedNetworks: [], expiresAt: null }
  const { key } = await instance.stores.keys.create(id, input, robin)
  const ofRobin = ['--email', 'robin@example.com']
  expect(admin('operator', 'add', ...ofRobin)).toMatchObject({ status: 0 })
  expect(admin('person', 'list').stdout).toMatch(
    /^per_\w+ {2}operator {2}1 projects {2}\S+ {2}robin@example\.com {2}robin$/m,
  )
  expect(admin('person', 'created', ...ofRobin).stdout).toBe(`${id}  key  ${key.id}  CI\n`)
  expect(admin('operator', 'revoke', ...ofRobin)).toMatchObject({ status: 0 })
  expect(admin('operator', 'list').stdout).not.toContain('robin')
  expect(admin('sessions', 'end', ...ofRobin).stderr).toContain('0 sessions')
  expect(admin('person', 'disable', ...ofRobin)).toMatchObject({ status: 0 })
  expect(admin('person', 'list').stdout).toMatch(/ {2}disabled .*robin/)
  expect(await instance.stores.keys.get(id, key.id)).toMatchObject({ revokedAt: expect.any(Date) })
  expect(admin('password-link', 'create', ...ofRobin)).toMatchObject({ status: 1 })
  expect(admin('person', 'enable', ...ofRobin)).toMatchObject({ status: 0 })
  expect(admin('person', 'delete', ...ofRobin)).toMatchObject({ status: 0 })
  expect(admin('person', 'list').stdout).not.toContain('robin')

  const ofAda = ['--email', 'ada@example.com']
  expect(admin('person', 'delete', ...ofAda)).toMatchObject({ status: 1, stderr: expect.stringContaining('Docs') })
  expect(admin('person', 'delete', ...ofAda, '--new-owner', 'early@example.com')).toMatchObject({ status: 0 })
  expect(await members.list(id, { limit: 10, before: undefined })).toMatchObject([
    { email: 'early@example.com', role: 'owner', hasJoined: true },
  ])
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
