import { errors } from 'undici'

/** A closed list. Only with the last four may the request have arrived: the others fail before a byte of it is sent. */
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

/** The message is for the person who typed the address: it says what to do, and nothing of what a server answered. */
export class EgressError extends Error {
  override readonly name = 'EgressError'
  readonly code: EgressErrorCode

  constructor(code: EgressErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** What is left as it is are the caller's own mistakes: a header that cannot be, a body that broke while it was sent. */
export function asEgressError(error: unknown, host: string): unknown {
  if (error instanceof errors.HTTPParserError)
    return new EgressError('bad_response', `${host} does not speak HTTP here.`)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  switch (code) {
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return new EgressError('timeout', `${host} was silent for too long.`)
    case 'UND_ERR_SOCKET':
    case 'ECONNRESET':
    case 'EPIPE':
    case 'ETIMEDOUT':
      return new EgressError('connection_lost', `The connection to ${host} broke before the answer was complete.`)
    case 'UND_ERR_HEADERS_OVERFLOW':
      return new EgressError('too_large', `The headers of ${host}'s answer are too large.`)
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return new EgressError('bad_response', `${host} announced another length than it sent.`)
    default:
      return error
  }
}
