/** The official client starts `colophon mcp`, which serves the tools over stdio. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, expect, inject, onTestFinished, test } from 'vitest'
import { createClaimedTurn } from '../../testing/harness/claimed-turn.ts'
import { startTestApi } from '../../testing/harness/test-api.ts'

const api = await startTestApi(inject('services'), 'mcp stdio')
afterAll(() => api.drop())
await api.addModel()
const { projectId, secret } = await api.createProject()

const command = ['--conditions=colophon-source', join(import.meta.dirname, '../../cli/src/main.ts'), 'mcp']
/** Without the login that is stored on this machine. */
const environment = (key = secret) => ({
  ...process.env,
  COLOPHON_URL: api.url,
  COLOPHON_API_KEY: key,
  XDG_CONFIG_HOME: '/nonexistent',
})

/** Runs the program to its end. The standard input ends after the first line of output, or at once if there is no input. */
async function run(input: string, env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, command, { env, stdio: 'pipe' })
  child.stdin.on('error', () => {}) // it may end before it reads
  if (input === '') child.stdin.end()
  else child.stdin.write(input)
  child.stdout.once('data', () => child.stdin.end())
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { exitCode: child.exitCode, stdout, stderr }
}

test.each(['legacy', 'auto'] as const)('a client of the versions %s lists and calls tools', async (mode) => {
  const readOnly = await api.createKey(projectId, { scopes: ['agent:read'] })
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  onTestFinished(() => client.close())
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: command,
      env: environment(readOnly.secret) as Record<string, string>,
    }),
  )
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual([
    'list_jobs',
    'get_job',
    'get_job_diff',
    'list_job_events',
    'wait_for_job',
  ])
  const { jobId } = await createClaimedTurn(api, projectId, 'test-model')
  const progress: unknown[] = []
  const waited = await client.callTool(
    { name: 'wait_for_job', arguments: { jobId, timeoutSeconds: 1 } },
    { onprogress: (update) => void progress.push(update) },
  )
  expect(waited.structuredContent).toMatchObject({ isFinished: false, job: { id: jobId } })
  const rejected = await client.callTool({ name: 'cancel_job', arguments: { jobId } })
  expect(rejected).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('agent:write') }] })
})

test('writes only messages to the standard output, and ends with the standard input', async () => {
  const { jobId } = await createClaimedTurn(api, projectId, 'test-model')
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  }
  const wait = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'wait_for_job', arguments: { jobId } } }
  const startedAt = performance.now()
  const lines = [JSON.stringify(initialize), 'not JSON', JSON.stringify(wait)]
  const { exitCode, stdout } = await run(`${lines.join('\n')}\n`, environment())
  expect(performance.now() - startedAt, 'a wait does not delay the end').toBeLessThan(30_000)
  expect(exitCode).toBe(0)
  const messages = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object)
  expect(messages[0]).toMatchObject({ jsonrpc: '2.0', id: 1, result: { protocolVersion: '2025-06-18' } })
})

test('says on the standard error why it cannot start', async () => {
  expect(await run('', environment(''))).toMatchObject({
    exitCode: 3,
    stdout: '',
    stderr: expect.stringContaining('colophon login'),
  })
  const revoked = await api.createKey(projectId)
  await api.clientWith(secret).keys.revoke(projectId, revoked.key.id)
  expect(await run('', environment(revoked.secret))).toEqual({
    exitCode: 3,
    stdout: '',
    stderr: expect.stringContaining('This API key was revoked.'),
  })
})
