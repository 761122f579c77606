/** Our API clients as packages, of the same version as the instance. People install them by URL, without an account. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HttpServer } from '../../platform/http/http-server.ts'
import type { Log } from '../../platform/log.ts'
import { version } from '../../platform/version.ts'

const sdkFile = join(import.meta.dirname, '../../../../sdk/dist/sdk.tgz')

/** Read once at startup. `npm` sends the ETag with `If-None-Match`, so an unchanged package is not downloaded again. */
export function addClientPackages(server: HttpServer, log: Log, file = sdkFile): void {
  if (!existsSync(file)) {
    log.warn({ file }, 'the TypeScript client is not built, so it cannot be installed: run ./setup or npm run build')
    return
  }
  const content = readFileSync(file)
  const headers = {
    etag: `"${createHash('sha256').update(content).digest('base64url')}"`,
    // The URL stays the same when the instance is upgraded, so caches ask each time.
    'cache-control': 'public, no-cache',
    'content-disposition': `attachment; filename="colophon-sdk-${version}.tgz"`,
  }
  server.get('/clients/sdk.tgz', { config: { access: 'public' } }, async (request, reply) => {
    const isUnchanged = request.headers['if-none-match']?.includes(headers.etag) === true
    return isUnchanged
      ? reply.code(304).headers(headers).send()
      : reply.headers(headers).type('application/gzip').send(content)
  })
}
