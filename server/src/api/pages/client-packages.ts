/** Our API clients, of the same version as the instance. People install them by URL, without an account. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HttpServer } from '../../platform/http/http-server.ts'
import type { Log } from '../../platform/log.ts'
import { version } from '../../platform/version.ts'

const checkout = join(import.meta.dirname, '../../../..')

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
  {
    url: '/clients/update-docs.mjs',
    name: 'script of the GitLab CI/CD component',
    file: 'integrations/gitlab/bundle.mjs',
    contentType: 'text/javascript; charset=utf-8',
    fileName: 'update-docs.mjs',
  },
]

export interface ClientPackageOptions {
  /** URL of the instance. pip needs the full URL of the Python client, which is in the requirements file. */
  publicUrl: string
  /** With the built clients. */
  folder?: string
}

/** The files are read once at startup. */
export function addClientPackages(
  server: HttpServer,
  log: Log,
  { publicUrl, folder = checkout }: ClientPackageOptions,
): void {
  const wheel = findWheel(folder)
  for (const clientPackage of [...clientPackages, wheel]) {
    const file = join(folder, clientPackage.file)
    if (existsSync(file)) addClientPackage(server, clientPackage, readFileSync(file))
    else
      log.warn(
        { file },
        `the ${clientPackage.name} is not built, so it cannot be installed: run ./setup or npm run build`,
      )
  }
  if (existsSync(join(folder, wheel.file))) addPythonRequirements(server, publicUrl + wheel.url)
}

/** pip accepts a wheel only at a URL that ends in its file name, with the version. */
function findWheel(folder: string): ClientPackage {
  const directory = join(folder, 'python/dist')
  const names = existsSync(directory) ? readdirSync(directory) : []
  const fileName = names.find((name) => name.endsWith('.whl')) ?? '*.whl'
  return {
    url: `/clients/${fileName}`,
    name: 'Python client',
    file: `python/dist/${fileName}`,
    contentType: 'application/zip',
    fileName,
  }
}

/** `npm` and `pip` send the ETag with `If-None-Match`, so an unchanged package is not downloaded again. */
function addClientPackage(server: HttpServer, { url, contentType, fileName }: ClientPackage, content: Buffer): void {
  const headers = {
    etag: `"${createHash('sha256').update(content).digest('base64url')}"`,
    // The URL can stay the same when the instance is upgraded, so caches ask each time.
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

/**
 * A stable URL for pip. Not a package index: pip would also look for our name in the public one, where someone else could publish a
 * package with a higher version.
 */
function addPythonRequirements(server: HttpServer, wheelUrl: string): void {
  const distributionName = wheelUrl.split('/').at(-1)?.split('-')[0]?.replaceAll('_', '-')
  server.get('/clients/python.txt', { config: { access: 'public' } }, async (_request, reply) =>
    reply
      .header('cache-control', 'public, no-cache')
      .type('text/plain; charset=utf-8')
      .send(`${distributionName} @ ${wheelUrl}\n`),
  )
}
