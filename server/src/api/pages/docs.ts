import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyReply } from 'fastify'
import type { HttpServer } from '../../platform/http/http-server.ts'
import type { Log } from '../../platform/log.ts'
import { renderDocs } from '../docs/docs-page.ts'
import { type DocsFiles, readDocs } from '../docs/read-docs.ts'
import { pageHeaders } from './page-headers.ts'

/**
 * The documentation for people who use the instance and have no checkout: `/docs`, `/docs/{page}`, `/docs/{folder}/{page}`, `/docs/examples/{file}`.
 * The files are read once at startup, and a request is looked up among them, so that it cannot name any other file.
 */
export function addDocsPages(server: HttpServer, log: Log, root = join(import.meta.dirname, '../../../..')): void {
  const files = readDocsOrWarn(join(root, 'docs'), log)
  if (files === undefined) return
  const { pages, notFound } = renderDocs(files, readRepositoryUrl(root))
  const config = { access: 'public' } as const
  const sendPage = (reply: FastifyReply, page: string) =>
    reply.headers(pageHeaders).type('text/html; charset=utf-8').send(page)
  server.get('/docs', { config }, async (_request, reply) => sendPage(reply, pages.get('') ?? notFound))
  server.get('/docs/*', { config }, async (request, reply) => {
    const { '*': path } = request.params as { '*': string }
    const page = pages.get(path)
    if (page !== undefined) return sendPage(reply, page)
    const example = files.examples.get(path)
    if (example !== undefined) return reply.headers(pageHeaders).type('text/plain; charset=utf-8').send(example)
    const picture = files.pictures.get(path)
    if (picture !== undefined) {
      const type = path.endsWith('.svg') ? 'image/svg+xml' : 'image/png'
      return reply.headers(pageHeaders).type(type).send(picture)
    }
    return sendPage(reply.code(404), notFound)
  })
}

function readDocsOrWarn(folder: string, log: Log): DocsFiles | undefined {
  try {
    return readDocs(folder)
  } catch (error) {
    log.warn({ folder, error: String(error) }, 'cannot read the docs folder: /docs is not served')
    return undefined
  }
}

/** The public URL of the source code, if package.json has one. */
function readRepositoryUrl(root: string): string | undefined {
  const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const url: unknown = typeof repository === 'string' ? repository : repository?.url
  return typeof url === 'string' ? url.match(/^(?:git\+)?(https:\/\/.+?)(?:\.git)?$/)?.[1] : undefined
}
