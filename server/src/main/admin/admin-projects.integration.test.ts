/** Runs `colophon-server admin project …`, `site-key …`, `repository …` and `runner …` on PostgreSQL. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, inject, onTestFinished, test } from 'vitest'
import { withDatabaseRoleOf } from '../../../../testing/harness/database-roles.ts'
import { createTestInstance } from '../../../../testing/harness/test-instance.ts'
import { generateKey } from '../../keys/key-format.ts'

const instance = await createTestInstance(inject('services'), 'admin-projects')
afterAll(() => instance.drop())
const { projects } = instance.stores
const { id } = await projects.create('Docs', { kind: 'operator' })
const missingId = `${id.slice(0, -4)}0000`

function admin(args: string[], input = '') {
  const program = join(import.meta.dirname, '../colophon-server.ts')
  const env = { PATH: process.env.PATH, ...withDatabaseRoleOf(['admin', ...args], instance.environment) }
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'admin', ...args], {
    env,
    input,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

test('pauses a project, lists it as paused, and resumes it', async () => {
  expect(admin(['project', 'pause', '--project', id])).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('The project is paused.'),
  })
  expect(admin(['project', 'list']).stdout).toMatch(new RegExp(`^${id} {2}\\S+ {2}Docs {2}paused \\S+Z\n$`))
  expect((await projects.get(id)).pausedAt).toBeInstanceOf(Date)
  expect(admin(['project', 'resume', '--project', id])).toMatchObject({
    status: 0,
    stderr: 'The project is resumed.\n',
  })
  expect((await projects.get(id)).pausedAt).toBeNull()
  expect(admin(['project', 'pause', '--project', missingId])).toMatchObject({ status: 1, stdout: '' })
})

test('deletes a project by its exact name, and again after a backup brought it back', async () => {
  const { id: deleted } = await projects.create('Old docs', { kind: 'operator' })
  const deleteProject = (name: string) => admin(['project', 'delete', '--project', deleted, '--name', name])
  expect(deleteProject('old docs')).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringContaining('The name does not match.'),
  })
  expect(admin(['project', 'deletions'])).toMatchObject({ status: 0, stdout: '' })
  expect(deleteProject('Old docs')).toMatchObject({ status: 0, stderr: expect.stringContaining('unusable') })
  expect(admin(['project', 'deletions']).stdout).toMatch(
    new RegExp(`^${deleted} {2}\\S+Z {2}in progress {2}webhook pending\n$`),
  )
  await instance.pool.query('UPDATE project_deletion SET completed_at = now() WHERE project_id = $1', [deleted])
  expect(admin(['project', 'deletions']).stdout).toMatch(/ {2}deleted \S+Z {2}/)
  expect(deleteProject('Old docs').status).toBe(0)
  expect(admin(['project', 'deletions']).stdout).toContain('  in progress  ')
})

test('saves instructions as given, and clears them on empty input', async () => {
  const setInstructions = ['project', 'instructions', '--project', id]
  const instructions = 'Write “you”.\n\n- Short sentences.'
  expect(admin(setInstructions, `${instructions}\n`).status).toBe(0)
  expect(await projects.readInstructions(id)).toBe(instructions)
  expect(admin(setInstructions, 'x'.repeat(20_001)).status).toBe(2)
  expect(await projects.readInstructions(id)).toBe(instructions)
  expect(admin(setInstructions, '\n')).toMatchObject({ status: 0, stderr: 'Instructions cleared.\n' })
  expect(await projects.readInstructions(id)).toBeNull()
})

test('creates, lists and revokes a site key', () => {
  const { status, stdout } = admin(['site-key', 'create', '--project', id])
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^site_[0-9a-f]{24}\n$/) })
  const siteKey = stdout.trim()
  expect(admin(['site-key', 'list', '--project', id]).stdout).toMatch(new RegExp(`^${siteKey} {2}\\S+Z\n$`))
  expect(admin(['site-key', 'revoke', '--project', id, '--site-key', siteKey]).status).toBe(0)
  expect(admin(['site-key', 'list', '--project', id])).toMatchObject({ status: 0, stdout: '' })
  expect(admin(['site-key', 'create', '--project', missingId])).toMatchObject({ status: 1, stdout: '' })
})

test('creates, lists and revokes a runner', async () => {
  const created = admin(['runner', 'create', '--name', 'build machine', '--projects', id])
  expect(created).toMatchObject({ status: 0, stdout: expect.stringMatching(/^colophon_runner_\S+\n$/) })
  const runnerId = /run_\w+/.exec(created.stderr)?.[0] ?? ''
  expect(admin(['runner', 'list']).stdout).toMatch(
    new RegExp(`^${runnerId}  offline  last seen never  expires \\S+Z  ${id}  operator  build machine\n$`),
  )
  const rotated = admin(['runner', 'rotate', '--runner', runnerId, '--overlap-hours', '0'])
  expect(rotated).toMatchObject({ status: 0, stdout: expect.stringMatching(/^colophon_runner_\S+\n$/) })
  expect(rotated.stdout).not.toBe(created.stdout)
  expect(admin(['runner', 'rotate', '--runner', runnerId, '--overlap-hours', '169']).status).toBe(2)
  expect(admin(['runner', 'revoke', '--runner', runnerId]).status).toBe(0)
  expect(admin(['runner', 'list'])).toMatchObject({ status: 0, stdout: '' })
})

test('shows the repository of a project', async () => {
  expect(admin(['repository', 'show', '--project', id])).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringContaining('The project has no repository.'),
  })
  const repository = {
    host: 'github' as const,
    baseUrl: 'https://github.com',
    owner: 'docs',
    name: 'handbook',
    baseBranch: 'main',
    docsFolder: '',
    webhookSecret: 'not-shown',
    publishing: { labels: ['docs', 'bot'], draft: true },
    access: { kind: 'installation' as const, installationId: 7 },
    hostRepositoryId: 1,
  }
  await instance.stores.repositories.connect(id, repository, { kind: 'operator' })
  expect(admin(['repository', 'show', '--project', id]).stdout).toBe(
    [
      'host         github',
      'url          https://github.com',
      'repository   docs/handbook',
      'branch       main',
      'docs-folder  (whole repository)',
      'access       GitHub App installation 7',
      'issue        none',
      'labels       docs,bot',
      'draft        yes',
      '',
    ].join('\n'),
  )
})

test('creates the runner of an existing token once', () => {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-token-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'token')
  const create = ['runner', 'create', '--name', 'compose', '--token-file', file]
  writeFileSync(file, generateKey('colophon_runner_'))
  expect(admin(create)).toEqual({ status: 0, stdout: '', stderr: 'The runner is created.\n' })
  expect(admin(create)).toMatchObject({ status: 0, stderr: expect.stringContaining('exists already') })
  expect(admin(['runner', 'list']).stdout.match(/compose/g)).toHaveLength(1)
  writeFileSync(file, 'not a token')
  expect(admin(create)).toMatchObject({ status: 2, stderr: expect.stringContaining('does not contain the token') })
})
