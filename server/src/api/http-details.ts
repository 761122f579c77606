import type { FastifyRequest } from 'fastify'
import type { HttpRequestDetails } from './route.ts'

const maxUserAgentCharacters = 400

export const toHttpDetails = (request: FastifyRequest): HttpRequestDetails => ({
  requestId: request.id,
  ipAddress: request.ip ?? '',
  cookieHeader: request.headers.cookie ?? '',
  userAgent: (request.headers['user-agent'] ?? '').slice(0, maxUserAgentCharacters),
})
