/** Our API clients, of the same version as the instance. People install them by URL, without an account. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HttpServer } from '../../platform/http/http-server.ts'
import type { Log } from '../../platform/log.ts'
import { version } from '../../platform/version.ts'

const root = join(import.meta.dirname, '../../../..')

interface ClientPackage {
  url: string
  /** For the log. */
  name: string
  file: string
  contentType: string
  /** Under which a browser saves it. */
  fileName: string
}

const clientPackages: readonly ClientPackage[] = [
  {
    url: '/clients/sdk.tgz',
    name: 'TypeScript client',
    file: 'sdk/dist/sdk.tgz',
    contentType: 'application/gzip',
    fileName: `colophon-sdk-${version}.tgz`,
  },
  {
    url: '/clients/colophon.mjs',
    name: 'colophon command',
    file: 'cli/dist/colophon.mjs',
    contentType: 'text/javascript; charset=utf-8',
    fileName: 'colophon.mjs',
  },
]

/** Read once at startup. `npm` sends the ETag with `If-None-Match`, so an unchanged package is not downloaded again. */
export function addClientPackages(server: HttpServer, log: Log, folder = root): void {
  for (const clientPackage of clientPackages) {
    const file = join(folder, clientPackage.file)
    if (existsSync(file)) addClientPackage(server, clientPackage, readFileSync(file))
    else
      log.warn(
        { file },
        `the ${clientPackage.name} is not built, so it cannot be installed: run ./setup or npm run build`,
      )
  }
}

function addClientPackage(server: HttpServer, { url, contentType, fileName }: ClientPackage, content: Buffer): void {
  const headers = {
    etag: `"${createHash('sha256').update(content).digest('base64url')}"`,
    // The URL stays the same when the instance is upgraded, so caches ask each time.
    'cache-control': 'public, no-cache',
    'content-disposition': `attachment; filename="${fileName}"`,
  }
  server.get(url, { config: { access: 'public' } }, async (request, reply) => {
    const isUnchanged = request.headers['if-none-match']?.includes(headers.etag) === true
    return isUnchanged
      ? reply.code(304).headers(headers).send()
      : reply.headers(headers).type(contentType).send(content)
  })
}
