import { expect, test } from 'vitest'
import { createLog } from '../log.ts'
import { createHttpServer } from './http-server.ts'
import { addJsonBody, parseJson } from './json-body.ts'

const parse = (text: string) => parseJson(Buffer.from(text))

test('ordinary JSON comes through', () => {
  expect(parse('{"a":[1,"x",null,{"b":"é😀"}]}')).toEqual({ a: [1, 'x', null, { b: 'é😀' }] })
})

test.each([
  ['nothing', '', 'empty'],
  ['half of it', '{"a":', 'not valid JSON'],
  ['NUL in a value', '{"a":"\\u0000"}', 'NUL'],
  ['NUL in a name', '{"\\u0000":1}', 'NUL'],
  ['a lone surrogate', '["\\ud800"]', 'Unicode'],
  ['__proto__', '{"a":{"__proto__":{"admin":true}}}', '__proto__'],
  [
    '10,000 fields',
    JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`f${index}`, 1]))),
    'fields',
  ],
  ['100,000 levels', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'nested'],
  ['100,000 objects deep', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'nested'],
])('%s is refused', (_name, text, reason) => {
  expect(() => parse(text)).toThrow(reason)
})

test('bytes that are not UTF-8 are refused', () => {
  expect(() => parseJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow('UTF-8')
})

function serve() {
  const http = { listen: { host: '127.0.0.1', port: 0 }, tls: undefined, trustedProxies: [], stopDelaySeconds: 0 }
  const server = createHttpServer(http, createLog('test', { level: 'error' }))
  addJsonBody(server)
  server.setValidatorCompiler(() => () => true)
  server.delete('/without', async ({ body }) => ({ body }))
  server.post('/with', { schema: { body: {} } }, async ({ body }) => ({ body }))
  return server
}

test.each([
  ['nothing as JSON', { 'content-type': 'application/json' }, ''],
  ['broken JSON', { 'content-type': 'application/json' }, '{'],
  ['a text', { 'content-type': 'text/plain' }, 'text'],
  ['something encoded', { 'content-type': 'application/json', 'content-encoding': 'gzip' }, 'text'],
  ['2 MiB', { 'content-type': 'application/json' }, 'x'.repeat(2 * 1024 * 1024)],
])('a route that asks for no body does not look at one: %s', async (_what, headers, payload) => {
  const response = await serve().inject({ method: 'DELETE', url: '/without', headers, payload })
  expect(response.json()).toEqual({})
})

test('a body that is encoded is refused where one is read', async () => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
  const response = await serve().inject({ method: 'POST', url: '/with', headers, payload: '{}' })
  expect(response.json()).toMatchObject({ code: 'unsupported_media_type' })
})
