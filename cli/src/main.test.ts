import { execFile } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

const main = join(import.meta.dirname, 'main.ts')

/** The command as a shell runs it, on the client's source so that nothing needs to be built first. */
const colophon = (args: string[], environment: Record<string, string> = {}) =>
  new Promise<{ exitCode: number | string | null | undefined; stdout: string; stderr: string }>((resolve) => {
    const command = ['--conditions=colophon-source', main, ...args]
    execFile(process.execPath, command, { env: environment, timeout: 20_000 }, (error, stdout, stderr) =>
      resolve({ exitCode: error ? error.code : 0, stdout, stderr }),
    )
  })

let server: Server
let url: string
let answer: { status: number; body: unknown }

beforeAll(async () => {
  server = createServer((_request, response) =>
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body)),
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
  answer = { status: 200, body: ready }
})

test('status of a ready server', async () => {
  expect(await colophon(['status', '--url', url])).toEqual({
    exitCode: 0,
    stdout: `Colophon 1.2.3 at ${url} is ready: everything works.\n\n  postgres  works  2 ms\n`,
    stderr: '',
  })
})

test('status of a degraded server, its address from the environment', async () => {
  answer = { status: 200, body: degraded }
  const { exitCode, stdout } = await colophon(['status'], { COLOPHON_URL: url })
  expect(exitCode).toBe(1)
  expect(stdout).toContain('is degraded: it takes requests, but some work waits')
  expect(stdout).toContain('  postgres    works  2 ms\n  clickhouse  fails  disk_full\n')
})

test('status for machines', async () => {
  answer = { status: 503, body: { ...degraded, status: 'not_ready' } }
  const { exitCode, stdout } = await colophon(['status', '--json', '--url', url])
  expect(exitCode).toBe(1)
  expect(JSON.parse(stdout)).toEqual({ url, ...degraded, status: 'not_ready' })
})

test('status where there is no Colophon', async () => {
  answer = { status: 404, body: {} }
  const args = ['status', '--url', url]
  const { exitCode, stdout } = await colophon(args)
  expect(exitCode).toBe(1)
  expect(stdout).toContain(`No Colophon at ${url}: ${url}/readyz answered 404, but not as Colophon does`)
  expect(JSON.parse((await colophon([...args, '--json'])).stdout)).toMatchObject({
    url,
    status: 'unreachable',
    error: { code: 'unexpected_response' },
  })
})

test('what a server says cannot steer the terminal', async () => {
  answer = { status: 200, body: { ...ready, version: '1\u001b[2J\n::error::' } }
  expect((await colophon(['status', '--url', url])).stdout).toContain('Colophon 1\ufffd[2J\ufffd::error:: at')
})

test.each([
  [[], 'Say what to do.'],
  [['constructor'], 'There is no command "constructor".'],
  [['status'], 'Say where Colophon answers, with --url or COLOPHON_URL.'],
  [['status', '--url', 'localhost:8080'], 'The base URL must start with http:// or https://'],
  [['status', '--url'], "Option '--url <value>' argument missing"],
  [['status', '--verbose'], "Unknown option '--verbose'"],
  [['status', 'now'], "Unexpected argument 'now'"],
])('colophon %j is not understood', async (args, message) => {
  const { exitCode, stdout, stderr } = await colophon(args)
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toContain(`colophon: ${message}`)
  expect(stderr).toContain('colophon status')
})

test('--help and --version', async () => {
  for (const args of [['--help'], ['help'], ['status', '--help']]) {
    expect(await colophon(args)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('--url URL') })
  }
  expect(await colophon(['--version'])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  })
})
