import { execFile } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

const main = join(import.meta.dirname, 'main.ts')

/** Runs the command as a shell does, on the SDK's source so that nothing needs to be built first. */
const colophon = (args: string[], environment: Record<string, string> = {}) =>
  new Promise<{ exitCode: number | string | null | undefined; stdout: string; stderr: string }>((resolve) => {
    const command = ['--conditions=colophon-source', main, ...args]
    execFile(process.execPath, command, { env: environment, timeout: 20_000 }, (error, stdout, stderr) =>
      resolve({ exitCode: error ? error.code : 0, stdout, stderr }),
    )
  })

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
  expect(exitCode).toBe(1)
  expect(stdout).toContain(
    `Cannot reach Colophon at ${url}: ${url}/readyz sent status 404 and a body that is not from Colophon`,
  )
  expect(JSON.parse((await colophon([...args, '--json'])).stdout)).toMatchObject({
    url,
    status: 'unreachable',
    error: { code: 'unexpected_response' },
  })
})

test('replaces control characters in what a server sends', async () => {
  reply = { status: 200, body: { ...ready, version: '1\u001b[2J\n::error::' } }
  expect((await colophon(['status', '--url', url])).stdout).toContain('Colophon 1\ufffd[2J\ufffd::error:: at')
})

test.each([
  [[], 'Missing command.', 'colophon'],
  [['constructor'], 'Unknown command "constructor".', 'colophon'],
  [['--verbose'], "Unknown option '--verbose'.", 'colophon'],
  [['status'], 'Missing option --url, or COLOPHON_URL.', 'colophon status'],
  [['status', '--url', 'localhost:8080'], 'The base URL must start with http:// or https://', 'colophon status'],
  [['status', '--url'], "Option '--url <value>' argument missing.", 'colophon status'],
  [['status', '--verbose'], "Unknown option '--verbose'.", 'colophon status'],
  [['status', 'now'], "Unexpected argument 'now'.", 'colophon status'],
])('rejects colophon %j and points to its help', async (args, message, command) => {
  const { exitCode, stdout, stderr } = await colophon(args)
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toContain(`colophon: ${message}`)
  expect(stderr).toContain(`\nRun '${command} --help' for usage.\n`)
})

test('prints help', async () => {
  for (const args of [['--help'], ['-h'], ['help']]) {
    expect(await colophon(args)).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^Usage: colophon COMMAND \[OPTIONS\]\n[\s\S]*\n {2}status {2}Show whether/),
      stderr: '',
    })
  }
  for (const args of [
    ['status', '--help'],
    ['status', '--wrong', '-h'],
    ['help', 'status'],
  ]) {
    expect(await colophon(args)).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(
        /^Usage: colophon status \[OPTIONS\]\n[\s\S]*\n {2}--url URL {3}URL of the instance/,
      ),
      stderr: '',
    })
  }
})

test('prints the version', async () => {
  for (const args of [['--version'], ['status', '--version']]) {
    expect(await colophon(args)).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    })
  }
})
