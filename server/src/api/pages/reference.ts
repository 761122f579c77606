import type { OpenApiDocument } from '../../api-reference/openapi-document.ts'
import { renderReferencePage } from '../../api-reference/reference-page.ts'
import { referenceStylesheet } from '../../api-reference/reference-stylesheet.ts'
import type { HttpServer } from '../../platform/http/http-server.ts'
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
