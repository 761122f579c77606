import { Script } from 'node:vm'
import { expect, test } from 'vitest'
import { createHttpServer } from '../../platform/http/http-server.ts'
import { createLog } from '../../platform/log.ts'
import { addTrackingScript, minifyTrackingScript } from './tracking-script.ts'

test('the script has at most 1 KB, is valid, and stores nothing in the browser', () => {
  const script = minifyTrackingScript()
  expect(Buffer.byteLength(script)).toBeLessThanOrEqual(1024)
  expect(() => new Script(script)).not.toThrow()
  expect(script).not.toMatch(/cookie|localStorage|sessionStorage|indexedDB/)
})

test('the script can be cached for an hour and revalidated by its ETag', async () => {
  const http = { listen: { host: '127.0.0.1', port: 0 }, tls: undefined, trustedProxies: [], shutdownDelaySeconds: 0 }
  const server = createHttpServer(http, createLog('test', { level: 'error' }))
  addTrackingScript(server)
  const first = await server.inject({ method: 'GET', url: '/colophon.js' })
  expect(first.statusCode).toBe(200)
  expect(first.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': expect.stringContaining('max-age=3600'),
    'cross-origin-resource-policy': 'cross-origin',
  })
  const headers = { 'if-none-match': String(first.headers.etag) }
  const again = await server.inject({ method: 'GET', url: '/colophon.js', headers })
  expect([again.statusCode, again.body]).toEqual([304, ''])
})
