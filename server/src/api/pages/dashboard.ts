import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { HttpServer } from '../../platform/http/http-server.ts'
import type { Log } from '../../platform/log.ts'
import { pageHeaders, pageHeadersForExternalForm, pageHeadersWithNonce } from './page-headers.ts'

const built = join(import.meta.dirname, '../../../../web/dist')

const mediaTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.md': 'text/markdown; charset=utf-8',
}

/**
 * The files of the dashboard, read once at startup. Each is its own route, so that a request cannot name any other file. The
 * names of files under `assets/` contain a hash of their content, so browsers can cache them forever.
 */
export function addDashboard(server: HttpServer, log: Log, { formTargets }: { formTargets: readonly string[] }): void {
  const files = builtFiles()
  if (files.length === 0) log.warn('the dashboard is not built: run ./setup or npm run build')
  for (const file of files) {
    if (file === 'index.html') addPages(server, readFileSync(join(built, file), 'utf8'), formTargets)
    else addFile(server, file)
  }
}

/** Compressed once: these files are most of a first load, and a proxy in front may not compress. */
function addFile(server: HttpServer, file: string): void {
  const content = readFileSync(join(built, file))
  const compressed = gzipSync(content)
  const type = mediaTypes[extname(file)] ?? 'application/octet-stream'
  const cacheControl = file.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
  server.get(`/${file}`, { config: { access: 'public', quiet: true } }, async (request, reply) => {
    const acceptsGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    return reply
      .headers({ ...pageHeaders, 'cache-control': cacheControl, vary: 'accept-encoding' })
      .headers(acceptsGzip ? { 'content-encoding': 'gzip' } : {})
      .type(type)
      .send(acceptsGzip ? compressed : content)
  })
}

/** Paths that the dashboard handles itself. Every other unknown path is a 404. */
const pages = [
  '/',
  '/sign-in',
  '/welcome',
  '/invitation',
  '/new-password',
  '/account',
  '/people',
  '/audit',
  '/status',
  '/instance',
  '/spend',
  '/projects/*',
  '/github/app-created',
  '/github/installed', // where GitHub redirects people to
]
const pageWithForm = '/github/new-app'

function addPages(server: HttpServer, html: string, postsTo: readonly string[]): void {
  const [before, after, ...more] = html.split('STYLE-NONCE')
  if (after === undefined || more.length > 0)
    throw new Error('web/index.html must contain STYLE-NONCE exactly once: run npm run build')
  const headersForForm = (nonce: string) => pageHeadersForExternalForm(nonce, postsTo)
  for (const url of [...pages, pageWithForm]) {
    const headersWith = url === pageWithForm ? headersForForm : pageHeadersWithNonce
    server.get(url, { config: { access: 'public' } }, async (_request, reply) => {
      const nonce = randomBytes(16).toString('base64')
      return reply
        .headers({ ...headersWith(nonce), 'cache-control': 'no-store' })
        .type('text/html; charset=utf-8')
        .send(before + nonce + after)
    })
  }
}

function builtFiles(): string[] {
  try {
    const entries = readdirSync(built, { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(built.length + 1))
  } catch {
    return []
  }
}
