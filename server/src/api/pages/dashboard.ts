import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { HttpServer } from '../../platform/http/http-server.ts'
import type { Log } from '../../platform/log.ts'
import { pageHeaders, pageHeadersForForm, pageHeadersWithNonce } from './page-headers.ts'

const built = join(import.meta.dirname, '../../../../web/dist')

const mediaTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.md': 'text/markdown; charset=utf-8',
}

/**
 * The dashboard's files, read once: each is a route of its own, so that no request can name another file. Files under
 * `assets/` carry a hash of their content in their name and may be kept for ever.
 */
export function addDashboard(server: HttpServer, log: Log, { postsTo }: { postsTo: readonly string[] }): void {
  const files = builtFiles()
  if (files.length === 0) log.warn('the dashboard is not built: run ./setup, or npm run build')
  for (const file of files) {
    if (file === 'index.html') addPages(server, readFileSync(join(built, file), 'utf8'), postsTo)
    else addFile(server, file)
  }
}

/** Compressed once: a first load is mostly these, and a proxy in front may not compress. */
function addFile(server: HttpServer, file: string): void {
  const content = readFileSync(join(built, file))
  const packed = gzipSync(content)
  const type = mediaTypes[extname(file)] ?? 'application/octet-stream'
  const cacheControl = file.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
  server.get(`/${file}`, { config: { access: 'public', quiet: true } }, async (request, reply) => {
    const takesGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    return reply
      .headers({ ...pageHeaders, 'cache-control': cacheControl, vary: 'accept-encoding' })
      .headers(takesGzip ? { 'content-encoding': 'gzip' } : {})
      .type(type)
      .send(takesGzip ? packed : content)
  })
}

/** Addresses that the dashboard itself gives a meaning to; everything else that is not there is a 404. */
const pages = [
  '/',
  '/sign-in',
  '/welcome',
  '/invitation',
  '/new-password',
  '/account',
  '/status',
  '/projects/*',
  '/github/app-made',
  '/github/installed', // where GitHub sends people back to
]
const pageWithForm = '/github/new-app'

function addPages(server: HttpServer, html: string, postsTo: readonly string[]): void {
  const [before, after, ...more] = html.split('STYLE-NONCE')
  if (after === undefined || more.length > 0)
    throw new Error('web/index.html has to name STYLE-NONCE once: run npm run build')
  const headersForForm = (nonce: string) => pageHeadersForForm(nonce, postsTo)
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
