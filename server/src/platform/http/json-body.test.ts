import { expect, test } from 'vitest'
import { createLog } from '../log.ts'
import { createHttpServer } from './http-server.ts'
import { addJsonBodyParser, parseJsonBody } from './json-body.ts'

const parse = (text: string) => parseJsonBody(Buffer.from(text))

test('parses ordinary JSON', () => {
  expect(parse('{"a":[1,"x",null,{"b":"é😀"}]}')).toEqual({ a: [1, 'x', null, { b: 'é😀' }] })
})

test.each([
  ['an empty body', '', 'empty'],
  ['truncated JSON', '{"a":', 'not valid JSON'],
  ['NUL in a value', '{"a":"\\u0000"}', 'NUL'],
  ['NUL in a field name', '{"\\u0000":1}', 'NUL'],
  ['a lone surrogate', '["\\ud800"]', 'Unicode'],
  ['a field named __proto__', '{"a":{"__proto__":{"admin":true}}}', '__proto__'],
  [
    '10,000 fields',
    JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`f${index}`, 1]))),
    'fields',
  ],
  ['100,000 nested arrays', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'nested'],
  ['100,000 nested objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'nested'],
])('rejects %s', (_name, text, reason) => {
  expect(() => parse(text)).toThrow(reason)
})

test('rejects bytes that are not UTF-8', () => {
  expect(() => parseJsonBody(Buffer.from([0x22, 0xff, 0x22]))).toThrow('UTF-8')
})

function serve() {
  const http = { listen: { host: '127.0.0.1', port: 0 }, tls: undefined, trustedProxies: [], shutdownDelaySeconds: 0 }
  const server = createHttpServer(http, createLog('test', { level: 'error' }))
  addJsonBodyParser(server)
  server.setValidatorCompiler(() => () => true)
  server.delete('/without-body', async ({ body }) => ({ body }))
  server.post('/with-body', { schema: { body: {} } }, async ({ body }) => ({ body }))
  return server
}

test.each([
  ['an empty JSON body', { 'content-type': 'application/json' }, ''],
  ['broken JSON', { 'content-type': 'application/json' }, '{'],
  ['plain text', { 'content-type': 'text/plain' }, 'text'],
  ['a compressed body', { 'content-type': 'application/json', 'content-encoding': 'gzip' }, 'text'],
  ['a body of 2 MiB', { 'content-type': 'application/json' }, 'x'.repeat(2 * 1024 * 1024)],
])('ignores %s where the route has no body schema', async (_name, headers, payload) => {
  const response = await serve().inject({ method: 'DELETE', url: '/without-body', headers, payload })
  expect(response.json()).toEqual({})
})

test('rejects a compressed body where the route reads it', async () => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
  const response = await serve().inject({ method: 'POST', url: '/with-body', headers, payload: '{}' })
  expect(response.json()).toMatchObject({ code: 'unsupported_media_type' })
})
