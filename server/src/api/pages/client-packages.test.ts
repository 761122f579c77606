import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sdkPackagePath } from '../../../../sdk/npm-names.ts'
import { createHttpServer } from '../../platform/http/http-server.ts'
import { createLog } from '../../platform/log.ts'
import { version } from '../../platform/version.ts'
import { addClientPackages } from './client-packages.ts'

const http = { listen: { host: '127.0.0.1', port: 0 }, tls: undefined, trustedProxies: [], shutdownDelaySeconds: 0 }

function serve(content: string | undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-client-packages-'))
  const log = createLog('test', { level: 'error' })
  const server = createHttpServer(http, log)
  onTestFinished(async () => {
    rmSync(folder, { recursive: true })
    await server.close()
  })
  if (content !== undefined) writeFileSync(join(folder, 'sdk.tgz'), content)
  addClientPackages(server, log, join(folder, 'sdk.tgz'))
  return (headers = {}) => server.inject({ method: 'GET', url: sdkPackagePath, headers })
}

test('serves the client with the version in its file name, once per version', async () => {
  const get = serve('a package')
  const response = await get()
  expect(response.statusCode).toBe(200)
  expect(response.body).toBe('a package')
  expect(response.headers).toMatchObject({
    'content-type': 'application/gzip',
    'cache-control': 'public, no-cache',
    'content-disposition': `attachment; filename="colophon-sdk-${version}.tgz"`,
  })
  const { etag } = response.headers
  expect((await get({ 'if-none-match': etag })).statusCode).toBe(304)
  expect((await serve('another package')({ 'if-none-match': etag })).statusCode).toBe(200)
})

test('an instance without a built client starts, and has nothing there', async () => {
  expect((await serve(undefined)()).statusCode).toBe(404)
})
