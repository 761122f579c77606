import type { FastifyReply } from 'fastify'
import type { HttpServer } from '../../platform/http/http-server.ts'
import { errorCodes, renderErrorList, renderErrorPage, renderUnknownError } from './error-page.ts'
import { pageHeaders } from './page-headers.ts'

/** The pages that explain error codes: all of them (`/errors`) and one (`/errors/{code}`). */
export function addErrorPages(server: HttpServer): void {
  const config = { access: 'public' } as const
  const list = renderErrorList()
  const pages = new Map(errorCodes.map((code) => [code, renderErrorPage(code)]))
  const send = (reply: FastifyReply, page: string) =>
    reply.headers(pageHeaders).type('text/html; charset=utf-8').send(page)
  server.get('/errors', { config }, async (_request, reply) => send(reply, list))
  server.get('/errors/:code', { config }, async (request, reply) => {
    const { code } = request.params as { code: string }
    const page = pages.get(code)
    return page === undefined ? send(reply.code(404), renderUnknownError(code)) : send(reply, page)
  })
}
