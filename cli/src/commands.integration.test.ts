/** The real command, as a process, on the real api. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import { createGiteaTestRepository } from '../../server/src/code-hosts/testing/gitea-test-repository.ts'
import { connectTestRepository } from '../../testing/harness/connect-test-repository.ts'
import { startTestApi } from '../../testing/harness/test-api.ts'
import { runColophon, sourceCommand } from './testing/run-colophon.ts'

const services = inject('services')
const api = await startTestApi(services, 'command line')
const repository = await createGiteaTestRepository(services.gitea)
const folder = mkdtempSync(join(tmpdir(), 'colophon-command-'))
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await repository.remove()
  await api.drop()
})
const { projectId, client, secret } = await api.createProject('Handbook')
await api.addModel()
await connectTestRepository(api, projectId, repository)

const withKey = { COLOPHON_URL: api.url, COLOPHON_API_KEY: secret, PATH: '/usr/bin:/bin' }
const colophon = (...args: string[]) => runColophon(args, { environment: withKey })

/** What an agent could write to attack a terminal and CI. */
const hostileText = 'Fix\u001b]0;title\u0007 \u001b[2Jlinks\u202e\n::add-mask::x'

async function createJob(state: { status: string; outcome: string | null } & Record<string, string | null>) {
  const { id } = await client.jobs.create(projectId, { prompt: 'Fix the dead links.' })
  const columns = Object.keys(state)
  const assignments = columns.map((column, index) => `${column} = $${index + 2}`).join(', ')
  await api.pool.query(`UPDATE job SET ${assignments} WHERE id = $1`, [id, ...Object.values(state)])
  return id
}

test('login stores the key in a file that only its owner can read, and the key is in no argument', async () => {
  const home = join(folder, 'home')
  const environment = { XDG_CONFIG_HOME: home }
  const login = await runColophon(['login', '--url', `${api.url}/`], { environment, input: `${secret}\n` })
  expect(login).toMatchObject({ exitCode: 0, stderr: '' })
  expect(login.stdout).toContain(`of project ${projectId}`)
  expect(login.stdout).not.toContain(secret)
  expect(statSync(join(home, 'colophon')).mode & 0o777).toBe(0o700)
  for (const file of ['api-key', 'login.json'])
    expect(statSync(join(home, 'colophon', file)).mode & 0o777, file).toBe(0o600)
  expect(readFileSync(join(home, 'colophon/login.json'), 'utf8')).not.toContain(secret)

  expect(await runColophon(['projects'], { environment })).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(new RegExp(`^ID .*\n${projectId} +active +Handbook\n$`)),
  })
  const elsewhere = { ...environment, COLOPHON_URL: 'http://127.0.0.1:1' }
  expect(await runColophon(['projects'], { environment: elsewhere })).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining(`The stored API key is for ${api.url}, not for http://127.0.0.1:1.`),
  })

  expect((await runColophon(['logout'], { environment })).stdout).toContain('from this machine')
  expect((await runColophon(['projects'], { environment })).exitCode).toBe(2)
})

test('login rejects a wrong key, and stores nothing', async () => {
  const environment = { XDG_CONFIG_HOME: join(folder, 'other home') }
  const login = await runColophon(['login', '--url', api.url], { environment, input: 'colophon_sk_wrong' })
  expect(login).toMatchObject({ exitCode: 3, stdout: '' })
  expect(() => statSync(join(folder, 'other home'))).toThrow('ENOENT')
})

test('login uses the keychain if there is one', async () => {
  const programs = mkdtempSync(join(folder, 'programs-'))
  writeFileSync(
    join(programs, 'secret-tool'),
    `#!/bin/sh\necho "$@" >>${programs}/arguments\ncase $1 in store) cat >${programs}/stored ;; lookup) cat ${programs}/stored ;; clear) rm ${programs}/stored ;; esac\n`,
    { mode: 0o755 },
  )
  const environment = { XDG_CONFIG_HOME: join(folder, 'home with keychain'), PATH: `${programs}:/usr/bin:/bin` }
  const login = await runColophon(['login', '--url', api.url], { environment, input: secret })
  expect(login.stdout).toContain('is stored in the keychain')
  expect(() => statSync(join(folder, 'home with keychain/colophon/api-key'))).toThrow('ENOENT')
  expect((await runColophon(['projects'], { environment })).exitCode).toBe(0)
  expect((await runColophon(['logout'], { environment })).exitCode).toBe(0)
  expect(() => statSync(join(programs, 'stored'))).toThrow('ENOENT')
  expect(readFileSync(join(programs, 'arguments'), 'utf8')).not.toContain(secret)
})

test('creates a job from standard input with every option, and lists and shows it', async () => {
  const options = ['--title', 'Fix links', '--topic', 'links', '--draft', '--publish', 'diff', '--metadata', 'a=b=c']
  const created = await runColophon(['job', 'create', '-', '--json', ...options], {
    environment: withKey,
    input: 'Fix the dead links.',
  })
  expect(created).toMatchObject({ exitCode: 0, stderr: '' })
  const job = JSON.parse(created.stdout)
  expect(job).toMatchObject({ title: 'Fix links', topic: 'links', publish: 'diff', metadata: { a: 'b=c' } })
  expect((await colophon('job', 'list', '--status', 'active')).stdout).toContain(job.id)
  expect((await colophon('job', 'show', job.id)).stdout).toMatch(/^Title +Fix links$/m)
  expect(await colophon('job', 'message', job.id, 'Shorter.')).toMatchObject({
    exitCode: 0,
    stdout: `Sent to ${job.id}, which is active.\n`,
  })
  expect((await colophon('job', 'cancel', job.id)).exitCode).toBe(0)
  expect((await colophon('job', 'archive', job.id)).stdout).toBe(`${job.id} is archived.\n`)
})

test.each([
  [{ status: 'completed', outcome: 'no_changes' }, 0, 'completed without changes.'],
  [
    { status: 'failed', outcome: 'error', error_code: 'agent_failed', error_message: hostileText },
    5,
    'failed.\nFix links',
  ],
  [{ status: 'failed', outcome: 'cancelled' }, 6, 'was cancelled.'],
])('waiting for a job that is %j exits with %i', async (state, exitCode, text) => {
  const id = await createJob(state)
  const result = await colophon('job', 'wait', id)
  expect(result).toMatchObject({ exitCode, stdout: expect.stringContaining(`${id} ${text}`) })
  expect(JSON.parse((await colophon('job', 'wait', id, '--json')).stdout)).toMatchObject({ id, status: state.status })
})

test('Ctrl-C and a timeout say that the job goes on, and how to follow it again', async () => {
  const interrupted = await runColophon(['job', 'create', 'Fix it.', '--wait'], {
    environment: withKey,
    onProgress: (stderr, kill) => {
      if (stderr.includes('Created job_')) setTimeout(kill, 500, 'SIGINT')
    },
  })
  expect(interrupted).toMatchObject({ exitCode: 130, stdout: '' })
  const [, id = ''] = /The job goes on\.\nFollow it again: colophon job wait (job_\w+)/.exec(interrupted.stderr) ?? []
  expect(await client.jobs.get(projectId, id)).toMatchObject({ status: 'active', pendingStop: null })
  const late = await colophon('job', 'wait', id, '--timeout', '1s')
  expect(late).toMatchObject({ exitCode: 7, stderr: expect.stringContaining(`colophon job wait ${id}`) })
})

test('removes escapes and CI commands from what agents wrote', async () => {
  const id = await createJob({ status: 'completed', outcome: 'no_changes', title: hostileText, reply: hostileText })
  for (const args of [['show', id], ['list'], ['wait', id], ['show', id, '--json']]) {
    const { exitCode, stdout, stderr } = await colophon('job', ...args)
    expect(exitCode).toBe(0)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be in it
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]|^\s*::/m)
  }
})

test('a diff is unchanged in a pipe, and printable on request', async () => {
  const diff = `diff --git a/a.md b/a.md\n--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n ::error::x\n-a\n+b\u001b[31m\n`
  const id = await createJob({ status: 'completed', outcome: 'diff', diff })
  const result = await colophon('job', 'diff', id)
  expect(result).toMatchObject({ exitCode: 0, stdout: diff })
  expect((await colophon('job', 'diff', id, '--printable')).stdout).toContain('\n : :error::x\n-a\n+b\n')
})

test('prints colors only if they are asked for, and NO_COLOR wins', async () => {
  const color = { ...withKey, FORCE_COLOR: '1' }
  await createJob({ status: 'completed', outcome: 'no_changes' })
  expect((await colophon('job', 'list')).stdout).not.toContain('\u001b[')
  expect((await runColophon(['job', 'list'], { environment: color })).stdout).toContain('\u001b[')
  const noColor = { ...color, NO_COLOR: '1' }
  expect((await runColophon(['job', 'list'], { environment: noColor })).stdout).not.toContain('\u001b[')
})

test('ends quietly when nobody reads its output any more', async () => {
  const [file, ...args] = sourceCommand
  const program = spawn(file, [...args, 'job', 'list', '--json'], { env: withKey })
  let stderr = ''
  program.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk
  })
  program.stdout.destroy()
  const exitCode = await new Promise((resolve) => program.on('close', resolve))
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
})

test('reports what the instance rejects, with exit codes', async () => {
  const missing = await colophon('job', 'show', 'job_00000000000000000000000000')
  expect(missing).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringMatching(/^colophon: .*\n\(not_found, /),
  })
  const reader = await api.createKey(projectId, { scopes: ['analytics:read'] })
  const denied = await runColophon(['job', 'list'], { environment: { ...withKey, COLOPHON_API_KEY: reader.secret } })
  expect(denied).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('insufficient_scope') })
})

test('open prints the URL of the pull request, or of the page on the dashboard', async () => {
  const id = await createJob({ status: 'completed', outcome: 'no_changes' })
  expect((await colophon('job', 'open', id)).stdout).toBe(`${api.url}/projects/${projectId}/jobs/${id}\n`)
})

test('shows page views as a table, JSON and CSV', async () => {
  const paths = ['/docs/a', '/docs/a', '/docs/b\u001b[2J']
  await client.views.ingest(projectId, { views: paths.map((path) => ({ path, userAgent: 'GPTBot/1.2' })) })
  expect((await colophon('views')).stdout).toMatch(/^\d+ views: /)
  expect(JSON.parse((await colophon('views', '--json', '--from', '2026-01-01')).stdout)).toMatchObject({
    totals: { total: expect.any(Number) },
    timeseries: { interval: 'day' },
  })
  expect((await colophon('views', '--csv')).stdout).toMatch(/^path,human,ai,total\r?\n/)
  expect((await colophon('views', '--csv', '--json')).exitCode).toBe(2)
})

test('creates, lists and revokes keys', async () => {
  const created = await colophon(
    'keys',
    'create',
    'CI',
    '--scope',
    'agent:read',
    'agent:write',
    '--expires',
    '2099-01-01',
  )
  expect(created.exitCode).toBe(0)
  const { keyId, scopes } = await api.clientWith(created.stdout.trim()).me()
  expect(scopes).toEqual(['agent:read', 'agent:write'])
  expect((await colophon('keys', 'list')).stdout).toMatch(new RegExp(`${keyId} +CI .*2099-01-01`))
  expect(await colophon('keys', 'revoke', keyId)).toMatchObject({ exitCode: 0, stdout: `${keyId} is revoked.\n` })
  expect((await colophon('keys', 'list')).stdout).not.toContain(keyId)
  expect((await colophon('keys', 'list', '--all')).stdout).toContain(keyId)
})

test('imports access logs, each line once, also if the file has grown', async () => {
  const project = await api.createProject('Logs')
  const environment = { ...withKey, COLOPHON_API_KEY: project.secret, XDG_STATE_HOME: join(folder, 'state') }
  const line = (page: number) =>
    `192.0.2.1 - - [16/Nov/2026:12:00:00 +0000] "GET /docs/${page} HTTP/1.1" 200 512 "-" "GPTBot/1.2"\n`
  const log = join(folder, 'access.log')
  const importLog = () => runColophon(['import-logs', log, '--json'], { environment })
  writeFileSync(log, line(1) + line(2))
  utimesSync(log, 0, 0) // it is not being written any more
  const first = await importLog()
  expect(first).toMatchObject({ exitCode: 0, stderr: '' })
  expect(JSON.parse(first.stdout)).toMatchObject([{ lines: 2, counted: 2, alreadyImportedLines: 0 }])
  writeFileSync(log, line(1) + line(2) + line(3))
  utimesSync(log, 0, 0)
  expect(JSON.parse((await importLog()).stdout)).toMatchObject([{ lines: 3, counted: 1, alreadyImportedLines: 2 }])
  const fromPipe = ['import-logs', '-']
  const pipe = { environment, input: `${line(4)}not a request\n` }
  expect((await runColophon(fromPipe, pipe)).stdout).toBe('-: 2 lines; 1 views counted; 0 dropped; 1 unreadable\n')
  expect((await runColophon(fromPipe, pipe)).stdout).toContain('2 already imported; 0 views counted')
  const missing = await runColophon(['import-logs', join(folder, 'missing.log')], { environment })
  expect(missing).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('cannot be read') })
})

test('doctor says what is missing, and what to do next', async () => {
  const empty = await api.createProject('Empty')
  const environment = { ...withKey, COLOPHON_API_KEY: empty.secret }
  const { exitCode, stdout } = await runColophon(['doctor'], { environment })
  expect(exitCode).toBe(1)
  expect(stdout).toContain(`✓ Instance: Colophon`)
  expect(stdout).toContain('✗ Repository: No repository is connected')
  expect(stdout).toContain(`→ Connect one on ${api.url}/projects/${empty.projectId}/settings/repository.`)
  expect(stdout).toContain('✗ Runner: No runner has ever polled')
  expect(stdout).toContain('! Page views: No source has ever reported views.')

  const wrongKey = await runColophon(['doctor', '--json'], {
    environment: { ...environment, COLOPHON_API_KEY: 'wrong' },
  })
  expect(wrongKey.exitCode).toBe(3)
  expect(JSON.parse(wrongKey.stdout)).toContainEqual(
    expect.objectContaining({
      subject: 'API key',
      status: 'problem',
      nextStep: expect.stringContaining('colophon login'),
    }),
  )
  const unreachable = await runColophon(['doctor', '--url', 'http://colophon.invalid'], { environment })
  expect(unreachable).toMatchObject({ exitCode: 4, stdout: expect.stringContaining('→ Check the host name') })
  const inThreeDays = new Date(Date.now() + 3 * 86_400_000).toISOString()
  const expiring = await client.keys.create(projectId, { name: 'CI', scopes: ['agent:read'], expiresAt: inThreeDays })
  const soon = await runColophon(['doctor'], { environment: { ...environment, COLOPHON_API_KEY: expiring.secret } })
  expect(soon.stdout).toMatch(/! API key: .* expires in 2 days/)
})

/** Runs the command on a pseudo-terminal, as a person sees it. */
async function onTerminal(...args: string[]): Promise<string> {
  const command = [...sourceCommand, ...args].map((word) => `'${word}'`).join(' ')
  const program = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: { ...withKey, TERM: 'xterm-256color', HOME: folder },
  })
  let screen = ''
  program.stdout.on('data', (chunk: Buffer) => {
    screen += chunk
  })
  await new Promise((resolve) => program.on('close', resolve))
  return screen
}

test('on a terminal, lists and diffs have colors, and escapes of others are removed', async () => {
  const diff = 'diff --git a/a.md b/a.md\n--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-a\n+b\u001b]0;title\u0007\n'
  const id = await createJob({ status: 'completed', outcome: 'diff', diff, title: hostileText })
  expect(await onTerminal('job', 'list')).toContain(`${id}  \u001b[32mcompleted\u001b[39m`)
  const screen = await onTerminal('job', 'diff', id)
  expect(screen).toContain('\u001b[32m+b\u001b[39m\r\n')
  expect(screen).not.toContain('\u001b]0;')
})
