import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import type { HttpConfig } from '../config.ts'
import { createLog } from '../log.ts'
import { createHttpServer } from './http-server.ts'
import { Problem } from './problem.ts'

const config: HttpConfig = {
  listen: { host: '127.0.0.1', port: 0 },
  tls: undefined,
  trustedProxies: [],
  stopDelaySeconds: 0,
}
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => void (await Promise.all(closing.splice(0).map((close) => close()))))

function serve() {
  const lines: Record<string, unknown>[] = []
  const log = createLog('test', { level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const server = createHttpServer(config, log)
  closing.push(() => server.close())
  server.get('/fine', async () => ({ fine: true }))
  server.get('/broken', async () => {
    throw new Error('SELECT secret_column FROM somewhere failed')
  })
  server.get('/refused', async () => {
    throw new Problem('rate_limited', 'Wait a minute.', { headers: { 'retry-after': '60' } })
  })
  server.get('/slow', async () => {
    await sleep(500)
    return { slow: true }
  })
  server.post('/body', async () => ({ taken: true }))
  return { server, lines }
}

test('every answer carries the request id that is in the log', async () => {
  const { server, lines } = serve()
  const answer = await server.inject('/fine')
  expect(answer.headers['x-request-id']).toMatch(/^req_[0-9a-z]{26}$/)
  expect(lines).toEqual([
    expect.objectContaining({ requestId: answer.headers['x-request-id'], status: 200, path: '/fine' }),
  ])
})

test('an error that nobody meant is one logged line and a clean 500', async () => {
  const { server, lines } = serve()
  const answer = await server.inject('/broken')
  expect(answer.statusCode).toBe(500)
  expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8')
  expect(answer.json()).toMatchObject({
    status: 500,
    code: 'internal_error',
    requestId: answer.headers['x-request-id'],
  })
  expect(answer.body).not.toContain('secret_column')
  const errors = lines.filter(({ level }) => level === 'error')
  expect(errors).toEqual([
    expect.objectContaining({ error: expect.objectContaining({ message: expect.stringContaining('secret_column') }) }),
  ])
})

test('a problem answers with its status, headers and words', async () => {
  const answer = await serve().server.inject('/refused')
  expect(answer.statusCode).toBe(429)
  expect(answer.headers['retry-after']).toBe('60')
  expect(answer.json()).toMatchObject({ code: 'rate_limited', detail: 'Wait a minute.', error: 'Wait a minute.' })
})

test('an unknown address is 404, a known one with another method 405', async () => {
  const { server } = serve()
  expect((await server.inject('/nowhere')).json()).toMatchObject({ code: 'not_found' })
  const wrongMethod = await server.inject({ method: 'DELETE', url: '/fine' })
  expect(wrongMethod.statusCode).toBe(405)
  expect(wrongMethod.headers.allow).toBe('GET, HEAD')
})

test('bodies that cannot be read are refused by name', async () => {
  const { server } = serve()
  const post = (payload: string, type: string) =>
    server.inject({ method: 'POST', url: '/body', payload, headers: { 'content-type': type } })
  expect((await post('{', 'application/json')).json()).toMatchObject({ code: 'invalid_request' })
  expect((await post('<a/>', 'text/xml')).json()).toMatchObject({ code: 'unsupported_media_type' })
  expect((await post(`"${'x'.repeat(1024 * 1024)}"`, 'application/json')).json()).toMatchObject({ code: 'too_large' })
})

test('what is not HTTP at all still gets a problem', async () => {
  const { server } = serve()
  const address = new URL(await server.listen({ host: '127.0.0.1', port: 0 }))
  const answer = await new Promise<string>((resolve) => {
    let text = ''
    const socket = connect(Number(address.port), '127.0.0.1', () => socket.write('nonsense\r\n\r\n'))
    socket.on('data', (chunk) => {
      text += chunk.toString()
    })
    socket.on('close', () => resolve(text))
  })
  expect(answer).toMatch(/^HTTP\/1.1 400 .*application\/problem\+json.*"code":"invalid_request"/s)
})

test('a request in flight finishes when the server stops', async () => {
  const { server } = serve()
  const address = await server.listen({ host: '127.0.0.1', port: 0 })
  const slow = fetch(`${address}/slow`).then((answer) => answer.json())
  await sleep(100)
  await server.close()
  expect(await slow).toEqual({ slow: true })
})
