import { errors } from 'undici'

/** A closed list. Only with the last four may the request have arrived: the others occur before a byte of it is sent. */
export type EgressErrorCode =
  | 'url_not_allowed'
  | 'scheme_not_allowed'
  | 'address_not_allowed'
  | 'unresolvable'
  | 'connect_failed'
  | 'tls_failed'
  | 'proxy_failed'
  | 'timeout'
  | 'connection_lost'
  | 'bad_response'
  | 'too_large'

/** The message is for the person who entered the URL: it says what to do and contains nothing of the response. */
export class EgressError extends Error {
  override readonly name = 'EgressError'
  readonly code: EgressErrorCode

  constructor(code: EgressErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Errors of the caller are returned unchanged: an invalid header, or a request body that failed while it was sent. */
export function toEgressError(error: unknown, host: string): unknown {
  if (error instanceof errors.HTTPParserError)
    return new EgressError('bad_response', `${host} did not respond with valid HTTP.`)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  switch (code) {
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return new EgressError('timeout', `${host} sent no data for too long.`)
    case 'UND_ERR_SOCKET':
    case 'ECONNRESET':
    case 'EPIPE':
    case 'ETIMEDOUT':
      return new EgressError('connection_lost', `The connection to ${host} was lost before the response was complete.`)
    case 'UND_ERR_HEADERS_OVERFLOW':
      return new EgressError('too_large', `The response headers of ${host} are too large.`)
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return new EgressError('bad_response', `${host} sent a response whose length does not match its Content-Length.`)
    default:
      return error
  }
}
