import { EgressError, type EgressErrorCode } from '../platform/egress/egress-error.ts'

/** The same call may work later. */
export type RetryCode = 'unreachable' | 'server_error' | 'rate_limited' | 'unexpected_response'

/** The same call fails again until a person changes something. */
export type FinalCode =
  | 'address_refused'
  | 'token_rejected'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'rejected'
  | 'moved'
  | 'too_large'
  | 'push_refused'

type Failure =
  | { kind: 'retry'; code: RetryCode; retryAfterSeconds?: number | undefined }
  | { kind: 'final'; code: FinalCode; retryAfterSeconds?: undefined }

/** The message is for the people of a project: it says what to do, and holds no token. */
export class CodeHostError extends Error {
  override readonly name = 'CodeHostError'
  readonly failure: Failure

  constructor(failure: Failure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.failure = failure
  }
}

export const isCodeHostError = (error: unknown, ...codes: (RetryCode | FinalCode)[]): error is CodeHostError =>
  error instanceof CodeHostError && codes.includes(error.failure.code)

const egressFailures: Record<EgressErrorCode, Failure> = {
  url_not_allowed: { kind: 'final', code: 'address_refused' },
  scheme_not_allowed: { kind: 'final', code: 'address_refused' },
  address_not_allowed: { kind: 'final', code: 'address_refused' },
  unresolvable: { kind: 'retry', code: 'unreachable' },
  connect_failed: { kind: 'retry', code: 'unreachable' },
  tls_failed: { kind: 'retry', code: 'unreachable' },
  proxy_failed: { kind: 'retry', code: 'unreachable' },
  timeout: { kind: 'retry', code: 'unreachable' },
  connection_lost: { kind: 'retry', code: 'unreachable' },
  bad_response: { kind: 'retry', code: 'unexpected_response' },
  too_large: { kind: 'final', code: 'too_large' },
}

export function failureOfCall(error: unknown): unknown {
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return new CodeHostError({ kind: 'retry', code: 'unreachable' }, 'The code host did not answer in time.')
  }
  return error instanceof EgressError ? new CodeHostError(egressFailures[error.code], error.message) : error
}

/** What an answer other than success means, whichever call it was to. `what` names the call, `said` the host's reason. */
export function failureOfStatus(response: Response, what: string, said?: string): CodeHostError {
  const { status } = response
  const message = `The code host answered ${status} to ${what}${said ? `: ${said}` : '.'}`
  if (status === 429 || (status === 403 && isLimit(response, said))) {
    const seconds = retryAfterSeconds(response) ?? untilResetSeconds(response) ?? (status === 403 ? 60 : undefined)
    return new CodeHostError({ kind: 'retry', code: 'rate_limited', retryAfterSeconds: seconds }, message)
  }
  if (status === 408 || status >= 500) {
    return new CodeHostError(
      { kind: 'retry', code: 'server_error', retryAfterSeconds: retryAfterSeconds(response) },
      message,
    )
  }
  if (status >= 300 && status < 400) {
    const hint = 'The repository seems to have moved. Connect it again under its new address.'
    return new CodeHostError({ kind: 'final', code: 'moved' }, `${message} ${hint}`)
  }
  return new CodeHostError({ kind: 'final', code: finalCodes[status] ?? 'rejected' }, message)
}

const finalCodes: Record<number, FinalCode> = {
  401: 'token_rejected',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
}

/** GitHub says "forbidden" to who asks too often, and wants a minute's rest where it does not say how long. */
const isLimit = ({ headers }: Response, said = '') =>
  headers.has('retry-after') || headers.get('x-ratelimit-remaining') === '0' || /rate limit/i.test(said)

const maxWaitSeconds = 3600

function untilResetSeconds({ headers }: Response): number | undefined {
  const reset = Number(headers.get('x-ratelimit-reset'))
  if (headers.get('x-ratelimit-remaining') !== '0' || !reset) return undefined
  return Math.min(Math.max(Math.ceil(reset - Date.now() / 1000), 1), maxWaitSeconds)
}

/** Seconds or a date, by RFC 9110; not longer than an hour, whatever a host says. */
function retryAfterSeconds(response: Response): number | undefined {
  const value = response.headers.get('retry-after')
  if (!value) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.min(Math.max(Math.ceil(seconds), 0), maxWaitSeconds) : undefined
}
