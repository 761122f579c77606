/** Runs `colophon-server support` on real services that are full of names and secrets, and searches what it writes for them. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { withDatabaseRole } from '../../../../testing/harness/database-roles.ts'
import { createTestInstance, operator } from '../../../../testing/harness/test-instance.ts'
import { resetJobsAfterRestore } from '../../jobs/reset-after-restore.ts'
import { listSettings } from '../../platform/settings/setting.ts'
import { settings } from '../../platform/settings/settings.ts'

const instance = await createTestInstance(inject('services'), 'support')
afterAll(() => instance.drop())

/** In everything that must not be in the bundle. */
const mark = 'kestrelmark'

let jobId: string
beforeAll(async () => {
  const { projectId } = await instance.createProject(`Project ${mark}`)
  const { body } = await instance.stores.jobs.create(
    projectId,
    {
      repository: `${mark}/docs`,
      ref: mark,
      model: 'default',
      title: mark,
      draft: false,
      topic: mark,
      prompt: `Write about ${mark}.`,
      publish: 'pull_request',
      metadata: { mark },
    },
    { actor: operator, idempotency: undefined, present: (job) => job },
  )
  jobId = body.id
  await instance.createRunnerToken(undefined, mark)
  await instance.pool.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements')
})

function runSupport(args: string[], { environment = {}, input = '' }: { environment?: object; input?: string } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-support-test-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const program = join(import.meta.dirname, '../colophon-server.ts')
  const env = { PATH: process.env.PATH, ...withDatabaseRole('worker', instance.environment), ...environment }
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'support', ...args], {
    env,
    input,
    cwd: directory,
  })
  return { status, stdout, stderr: stderr.toString(), directory }
}

/** By file name, without the directory in the archive. */
function readArchive(compressed: Buffer): Record<string, string> {
  const archive = gunzipSync(compressed)
  const files: Record<string, string> = {}
  for (let at = 0; archive[at] !== 0; ) {
    const name = archive.toString('utf8', at, archive.indexOf(0, at))
    const bytes = Number.parseInt(archive.toString('utf8', at + 124, at + 135), 8)
    files[name.split('/')[1] ?? ''] = archive.toString('utf8', at + 512, at + 512 + bytes)
    at += 512 + Math.ceil(bytes / 512) * 512
  }
  return files
}

/** Every setting that takes any text, with the mark in it, but those that the command needs to connect. */
const markedSettings = Object.fromEntries(
  listSettings(settings)
    .filter(({ name, kind }) => kind.accepts === undefined && !(name in instance.environment))
    .map(({ name }) => [name, `https://${mark}:${mark}@${mark}.example/${mark}`]),
)

test('contains what helps, and no name, secret or text of a person', () => {
  const log = [
    {
      level: 'error',
      process: 'worker',
      jobId,
      path: `/${mark}`,
      msg: 'publishing failed',
      error: `Error: cannot read "${mark}"`,
    },
    {
      level: 'info',
      process: 'api',
      requestId: 'req_1',
      route: '/v2/agent/:projectId/job',
      status: 202,
      email: `${mark}@example.com`,
    },
  ]
  const { status, stdout, stderr } = runSupport(['--logs', '-', '--output', '-'], {
    environment: { ...markedSettings, COLOPHON_LOG_LEVEL: 'warn', [`COLOPHON_${mark.toUpperCase()}`]: mark },
    input: log.map((line) => JSON.stringify(line)).join('\n'),
  })
  expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.stringContaining('Reading clickhouse.json') })
  const files = readArchive(stdout)
  const everything = Object.values(files).join('\n')
  expect(everything.toLowerCase()).not.toContain(mark)
  for (const name of ['COLOPHON_SESSION_SECRET', 'COLOPHON_SEALING_PRIVATE_KEYS', 'COLOPHON_SEALING_PUBLIC_KEYS'])
    expect(everything).not.toContain(instance.environment[name])
  expect(everything).not.toContain(new URL(instance.postgresUrl).password)
  expect(everything).not.toContain('127.0.0.1')

  const json = (name: string) => JSON.parse(files[name] ?? '')
  expect(json('settings.json')).toMatchObject({ unknownNames: 1 })
  expect(json('settings.json').settings).toMatchObject({
    COLOPHON_LOG_LEVEL: { state: 'set', value: 'warn' },
    COLOPHON_DATABASE_URL: { state: 'set', scheme: 'postgres', loopback: true },
    COLOPHON_SESSION_SECRET: { state: 'set' },
    COLOPHON_JOB_STALL_SECONDS: { state: 'default' },
  })
  expect(json('log.json').lines).toHaveLength(2)
  expect(json('log.json').lines[0]).toMatchObject({ jobId, msg: 'publishing failed', error: 'Error: cannot read […]' })
})

test('reads sizes, queues, versions and migrations of all services, also after a restore', async () => {
  const client = await instance.pool.connect()
  await resetJobsAfterRestore(client)
  client.release()
  const { directory, status, stderr } = runSupport([])
  expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.not.stringContaining('could not be read') })
  const [file = ''] = readdirSync(directory)
  expect(file).toMatch(/^colophon-support-\d{8}T\d{6}\.tar\.gz$/)
  const files = readArchive(readFileSync(join(directory, file)))
  const json = (name: string) => JSON.parse(files[name] ?? '')
  expect(json('readiness.json')).toEqual({ postgres: 'ok', clickhouse: 'ok', temporal: 'ok' })
  expect(json('queues.json')).toMatchObject({ jobs: [{ status: 'active', jobs: 1 }], projects: [{ projects: 1 }] })
  expect(json('postgres.json')).toMatchObject({ pendingMigrations: [], server: [{ is_standby: false }] })
  expect(json('postgres.json').tables.map(({ table }: { table: string }) => table)).toContain('job')
  expect(json('clickhouse.json')).toMatchObject({ pendingMigrations: [], server: [{ version: expect.any(String) }] })
  expect(json('temporal.json')).toMatchObject({
    serverVersion: expect.any(String),
    openWorkflows: 0,
    activityPollers: 0,
  })
  const unread = Object.entries(files).filter(([name, text]) => text.includes('notRead') && name !== 'postgres.json')
  expect(unread.map(([name]) => name)).toEqual([])
  for (const name of Object.keys(files)) expect(files['README.md']).toContain(name === 'README.md' ? '' : name)
})

test('is written although the services cannot be reached or the settings are wrong', () => {
  const unreachable = {
    COLOPHON_DATABASE_URL: 'postgres://colophon@127.0.0.1:1/colophon',
    COLOPHON_CLICKHOUSE_URL: 'http://127.0.0.1:1',
    COLOPHON_TEMPORAL_ADDRESS: '127.0.0.1:1',
  }
  const files = readArchive(runSupport(['--output', '-'], { environment: unreachable }).stdout)
  expect(JSON.parse(files['readiness.json'] ?? '')).toMatchObject({
    postgres: { notRead: expect.stringContaining('ECONNREFUSED') },
    clickhouse: { notRead: expect.any(String) },
    temporal: { notRead: expect.any(String) },
  })
  const wrong = runSupport(['--output', '-'], { environment: { COLOPHON_DATABASE_URL: mark } })
  expect(wrong.status).toBe(0)
  const settingsFile = readArchive(wrong.stdout)['settings.json'] ?? ''
  expect(JSON.parse(settingsFile).settings.COLOPHON_DATABASE_URL).toEqual({ state: 'invalid' })
  expect(settingsFile).not.toContain(mark)
})

test('never replaces a file', () => {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-support-test-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'bundle.tar.gz')
  writeFileSync(file, 'mine')
  const { status, stderr } = runSupport(['--output', file])
  expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining('EEXIST') })
  expect(readFileSync(file, 'utf8')).toBe('mine')
})
