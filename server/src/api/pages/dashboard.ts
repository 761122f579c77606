import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { HttpServer } from '../../platform/http/http-server.ts'
import type { Log } from '../../platform/log.ts'
import { pageHeaders } from './page-headers.ts'

const built = join(import.meta.dirname, '../../../../web/dist')

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.md': 'text/markdown; charset=utf-8',
}

/**
 * The dashboard's files, read once: each is a route of its own, so that no request can name another file. Files under
 * `assets/` carry a hash of their content in their name and may be kept for ever.
 */
export function addDashboard(server: HttpServer, log: Log): void {
  const files = builtFiles()
  if (files.length === 0) log.warn('the dashboard is not built: run ./setup, or npm run build')
  for (const file of files) {
    const content = readFileSync(join(built, file))
    const type = mediaTypes[extname(file)] ?? 'application/octet-stream'
    const cacheControl = file.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
    const url = file === 'index.html' ? '/' : `/${file}`
    server.get(url, { config: { access: 'public' } }, async (_request, reply) =>
      reply.headers(pageHeaders).header('cache-control', cacheControl).type(type).send(content),
    )
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
