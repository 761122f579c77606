/** The script for the browser, `server/browser/colophon.js`. It has at most 1 KB, so that its size keeps no site from using it. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HttpServer } from '../../platform/http/http-server.ts'

const sourceFile = join(import.meta.dirname, '../../../browser/colophon.js')

/** Minified: without comments, indentation and spaces around operators. Line breaks stay, because they end statements. No string in the script has such spaces. */
export const minifyTrackingScript = (): string =>
  readFileSync(sourceFile, 'utf8')
    .replace(/^ *\/\/.*\n/gm, '')
    .replace(/^ +/gm, '')
    .replace(/ *([=>{}(),:?|&!]+) */g, '$1')

export function addTrackingScript(server: HttpServer): void {
  const script = minifyTrackingScript()
  const etag = `"${createHash('sha256').update(script).digest('hex').slice(0, 16)}"`
  const headers = {
    'cache-control': 'public, max-age=3600, stale-while-revalidate=86400',
    etag,
    // For sites that are cross-origin isolated or pin the script by its hash.
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-allow-origin': '*',
  }
  server.get('/colophon.js', { config: { access: 'public' } }, async (request, reply) => {
    reply.headers(headers)
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    return reply.type('text/javascript; charset=utf-8').send(script)
  })
}
