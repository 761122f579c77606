import type { HttpServer } from '../../platform/http/http-server.ts'
import { referenceStylesheet, renderReferencePage } from '../reference/reference-page.ts'
import { pageHeaders } from './page-headers.ts'

/** The contract for machines (`/openapi.json`) and for people (`/reference`). */
export function addReference(server: HttpServer, document: Record<string, unknown>): void {
  const config = { access: 'public' } as const
  const page = renderReferencePage(document)
  server.get('/openapi.json', { config }, async () => document)
  server.get('/reference', { config }, async (_request, reply) =>
    reply.headers(pageHeaders).type('text/html; charset=utf-8').send(page),
  )
  server.get('/reference.css', { config }, async (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(referenceStylesheet),
  )
}
