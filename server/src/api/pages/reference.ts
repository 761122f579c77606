import type { HttpServer } from '../../platform/http/http-server.ts'
import type { OpenApiDocument } from '../reference/openapi-document.ts'
import { renderReferencePage } from '../reference/reference-page.ts'
import { referenceStylesheet } from '../reference/reference-stylesheet.ts'
import { pageHeaders } from './page-headers.ts'

/** The API description for programs (`/openapi.json`) and for people (`/reference`). */
export function addReferencePage(server: HttpServer, document: OpenApiDocument): void {
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
