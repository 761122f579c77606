import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { pythonRequirementsPath } from '../../../../python/distribution.ts'
import { commandPath, sdkPackagePath } from '../../../../sdk/npm-names.ts'
import { createHttpServer } from '../../platform/http/http-server.ts'
import { createLog } from '../../platform/log.ts'
import { version } from '../../platform/version.ts'
import { addClientPackages } from './client-packages.ts'

const http = { listen: { host: '127.0.0.1', port: 0 }, tls: undefined, trustedProxies: [], shutdownDelaySeconds: 0 }
const wheelName = 'colophon_client-1.2.3-py3-none-any.whl'
const ciScriptPath = '/clients/update-docs.mjs'
const wheelPath = `/clients/${wheelName}`

const builtFiles: Readonly<Record<string, string>> = {
  [sdkPackagePath]: 'sdk/dist/sdk.tgz',
  [commandPath]: 'cli/dist/colophon.mjs',
  [ciScriptPath]: 'integrations/gitlab/bundle.mjs',
  [wheelPath]: `python/dist/${wheelName}`,
}

/** An instance with these clients, by URL. */
function serve(contents: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-client-packages-'))
  const log = createLog('test', { level: 'error' })
  const server = createHttpServer(http, log)
  onTestFinished(async () => {
    rmSync(folder, { recursive: true })
    await server.close()
  })
  for (const [url, content] of Object.entries(contents)) {
    const file = join(folder, builtFiles[url] ?? '')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  addClientPackages(server, log, { publicUrl: 'https://docs.example.com/colophon', folder })
  return (url: string, headers = {}) => server.inject({ method: 'GET', url, headers })
}

test.each([
  [sdkPackagePath, 'application/gzip', `colophon-sdk-${version}.tgz`],
  [commandPath, 'text/javascript; charset=utf-8', 'colophon.mjs'],
  [ciScriptPath, 'text/javascript; charset=utf-8', 'update-docs.mjs'],
  [wheelPath, 'application/zip', wheelName],
])('serves %s, once per version', async (url, contentType, fileName) => {
  const get = serve({ [url]: 'a package' })
  const response = await get(url)
  expect(response.statusCode).toBe(200)
  expect(response.body).toBe('a package')
  expect(response.headers).toMatchObject({
    'content-type': contentType,
    'cache-control': 'public, no-cache',
    'content-disposition': `attachment; filename="${fileName}"`,
  })
  const { etag } = response.headers
  expect((await get(url, { 'if-none-match': etag })).statusCode).toBe(304)
  expect((await serve({ [url]: 'another package' })(url, { 'if-none-match': etag })).statusCode).toBe(200)
})

test('the requirements file names the wheel by its full URL, so that pip looks for our name nowhere else', async () => {
  const response = await serve({ [wheelPath]: 'a wheel' })(pythonRequirementsPath)
  expect(response.body).toBe(`colophon-client @ https://docs.example.com/colophon${wheelPath}\n`)
  expect(response.headers).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'public, no-cache',
  })
})

test('an instance without built clients starts, and has nothing there', async () => {
  const get = serve({})
  for (const url of [sdkPackagePath, commandPath, ciScriptPath, pythonRequirementsPath, wheelPath])
    expect((await get(url)).statusCode).toBe(404)
})
