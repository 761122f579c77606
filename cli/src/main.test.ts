import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { exitCodeTable } from './exit-codes.ts'
import { runColophon } from './testing/run-colophon.ts'

const colophon = (args: string[], environment: Record<string, string> = {}) => runColophon(args, { environment })

let server: Server
let url: string
let reply: { status: number; body: unknown }

beforeAll(async () => {
  server = createServer((_request, response) =>
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(JSON.stringify(reply.body)),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

const ready = { status: 'ready', version: '1.2.3', components: { postgres: { status: 'ok', latencyMs: 2 } } }
const degraded = {
  status: 'degraded',
  version: '1.2.3',
  components: { postgres: { status: 'ok', latencyMs: 2 }, clickhouse: { status: 'failing', reason: 'disk_full' } },
}
beforeEach(() => {
  reply = { status: 200, body: ready }
})

test('shows the status of a ready server', async () => {
  expect(await colophon(['status', '--url', url])).toEqual({
    exitCode: 0,
    stdout: `Colophon 1.2.3 at ${url} is ready: all components work.\n\n  postgres  ok       2 ms\n`,
    stderr: '',
  })
})

test('shows the status of a degraded server, with the URL from the environment', async () => {
  reply = { status: 200, body: degraded }
  const { exitCode, stdout } = await colophon(['status'], { COLOPHON_URL: url })
  expect(exitCode).toBe(1)
  expect(stdout).toContain('is degraded: it accepts requests, but some work waits')
  expect(stdout).toContain('  postgres    ok       2 ms\n  clickhouse  failing  disk_full\n')
})

test('prints the status as JSON', async () => {
  reply = { status: 503, body: { ...degraded, status: 'not_ready' } }
  const { exitCode, stdout } = await colophon(['status', '--json', '--url', url])
  expect(exitCode).toBe(1)
  expect(JSON.parse(stdout)).toEqual({ url, ...degraded, status: 'not_ready' })
})

test('reports that another program responds at the URL', async () => {
  reply = { status: 404, body: {} }
  const args = ['status', '--url', url]
  const { exitCode, stdout } = await colophon(args)
  expect(exitCode).toBe(4)
  expect(stdout).toContain(
    `Cannot reach Colophon at ${url}: ${url}/readyz sent status 404 and a body that is not from Colophon`,
  )
  expect(JSON.parse((await colophon([...args, '--json'])).stdout)).toMatchObject({
    url,
    status: 'unreachable',
    error: { code: 'unexpected_response' },
  })
})

test('removes escapes from what a server sends', async () => {
  reply = { status: 200, body: { ...ready, version: '1\u001b[2J\n::error::' } }
  expect((await colophon(['status', '--url', url])).stdout).toContain('Colophon 1 ::error:: at')
})

test.each([
  [['constructor'], "Unknown command 'constructor'", 'colophon'],
  [['--verbose'], "Unknown option '--verbose'", 'colophon'],
  [['status'], "Missing option --url or COLOPHON_URL, or run 'colophon login'.", undefined],
  [['status', '--url', 'localhost:8080'], 'The base URL must start with http:// or https://', undefined],
  [['status', '--url'], "Option '--url <url>' argument missing.", 'colophon status'],
  [['status', '--verbose'], "Unknown option '--verbose'", 'colophon status'],
  [['status', 'now'], 'Too many arguments', 'colophon status'],
  [['job'], 'Missing command.', 'colophon job'],
  [['job', 'create'], "Missing required argument 'prompt'.", 'colophon job create'],
  [['job', 'create', ' ', '--url', 'http://localhost:1'], 'The prompt is empty.', undefined],
  [['job', 'wait', 'job_1', '--timeout', 'soon'], 'Write it as 90s, 30m or 2h.', 'colophon job wait'],
  [['login', '--url', 'http://localhost:1'], 'Missing API key: write it to standard input', undefined],
])('rejects colophon %j', async (args, message, command) => {
  const { exitCode, stdout, stderr } = await colophon(args)
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toContain(message)
  if (command !== undefined) expect(stderr).toContain(`\nRun '${command} --help' for usage.\n`)
})

test('prints help, with the exit codes', async () => {
  for (const args of [['--help'], ['-h'], ['help']]) {
    const { exitCode, stdout, stderr } = await colophon(args)
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toMatch(/^Usage: colophon \[options\] \[command\]\n[\s\S]*\n {2}status \[options\] +show whether/)
    for (const { code, meaning } of exitCodeTable) expect(stdout).toContain(` ${code}  ${meaning}\n`)
  }
  for (const args of [
    ['status', '--help'],
    ['help', 'status'],
  ]) {
    const { exitCode, stdout } = await colophon(args)
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^Usage: colophon status \[options\]\n[\s\S]*\n {2}--url <url> +URL of the instance/)
  }
})

test('prints the version', async () => {
  const { exitCode, stdout } = await colophon(['--version'])
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test('a stored key is sent only to the instance that it was stored for', async () => {
  const { exitCode, stderr } = await colophon(['job', 'list'], { COLOPHON_URL: url })
  expect(exitCode).toBe(3)
  expect(stderr).toContain(`There is no API key for ${url}. Run 'colophon login', or set COLOPHON_API_KEY.`)
})

test('an instance that does not respond has an exit code of its own', async () => {
  const environment = { COLOPHON_URL: 'http://127.0.0.1:1', COLOPHON_API_KEY: 'colophon_sk_x' }
  const { exitCode, stdout } = await colophon(['status'], environment)
  expect(exitCode).toBe(4)
  expect(stdout).toContain('Cannot reach Colophon at http://127.0.0.1:1')
})
