import { EgressError, type EgressErrorCode } from '../platform/egress/egress-error.ts'

/** The same call may succeed later. */
export type RetryableErrorCode = 'unreachable' | 'server_error' | 'rate_limited' | 'unexpected_response'

/** The same call fails again until a person changes something. */
export type FinalErrorCode =
  | 'address_not_allowed'
  | 'token_rejected'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'rejected'
  | 'moved'
  | 'too_large'
  | 'push_rejected'

type Failure =
  | { kind: 'retry'; code: RetryableErrorCode; retryAfterSeconds?: number | undefined }
  | { kind: 'final'; code: FinalErrorCode; retryAfterSeconds?: undefined }

/** The message is shown to members of a project. It says what to do, and never contains a token. */
export class CodeHostError extends Error {
  override readonly name = 'CodeHostError'
  readonly failure: Failure

  constructor(failure: Failure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.failure = failure
  }
}

export const isCodeHostErrorWithCode = (
  error: unknown,
  ...codes: (RetryableErrorCode | FinalErrorCode)[]
): error is CodeHostError => error instanceof CodeHostError && codes.includes(error.failure.code)

const egressFailures: Record<EgressErrorCode, Failure> = {
  url_not_allowed: { kind: 'final', code: 'address_not_allowed' },
  scheme_not_allowed: { kind: 'final', code: 'address_not_allowed' },
  address_not_allowed: { kind: 'final', code: 'address_not_allowed' },
  unresolvable: { kind: 'retry', code: 'unreachable' },
  connect_failed: { kind: 'retry', code: 'unreachable' },
  tls_failed: { kind: 'retry', code: 'unreachable' },
  proxy_failed: { kind: 'retry', code: 'unreachable' },
  timeout: { kind: 'retry', code: 'unreachable' },
  connection_lost: { kind: 'retry', code: 'unreachable' },
  bad_response: { kind: 'retry', code: 'unexpected_response' },
  too_large: { kind: 'final', code: 'too_large' },
}

export function toCodeHostError(error: unknown): unknown {
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return new CodeHostError({ kind: 'retry', code: 'unreachable' }, 'The code host did not respond in time.')
  }
  return error instanceof EgressError ? new CodeHostError(egressFailures[error.code], error.message) : error
}

/** The error for a response that is not a success. `what` names the call, `reason` is the host's explanation. */
export function errorFromStatus(response: Response, what: string, reason?: string): CodeHostError {
  const { status } = response
  const message = `The code host responded with ${status} to ${what}${reason ? `: ${reason.replace(/\.?$/, '.')}` : '.'}`
  if (status === 429 || (status === 403 && isRateLimit(response, reason))) {
    const seconds = retryAfterSeconds(response) ?? rateLimitResetSeconds(response) ?? (status === 403 ? 60 : undefined)
    return new CodeHostError({ kind: 'retry', code: 'rate_limited', retryAfterSeconds: seconds }, message)
  }
  if (status === 408 || status >= 500) {
    return new CodeHostError(
      { kind: 'retry', code: 'server_error', retryAfterSeconds: retryAfterSeconds(response) },
      message,
    )
  }
  if (status >= 300 && status < 400) {
    const advice = 'The repository seems to have moved. Connect it again with its new URL.'
    return new CodeHostError({ kind: 'final', code: 'moved' }, `${message} ${advice}`)
  }
  return new CodeHostError({ kind: 'final', code: finalCodes[status] ?? 'rejected' }, message)
}

const finalCodes: Record<number, FinalErrorCode> = {
  401: 'token_rejected',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
}

/** GitHub also responds with 403 to rate-limited clients, and expects a wait of one minute if it does not say how long. */
const isRateLimit = ({ headers }: Response, reason = '') =>
  headers.has('retry-after') || headers.get('x-ratelimit-remaining') === '0' || /rate limit/i.test(reason)

const maxWaitSeconds = 3600

function rateLimitResetSeconds({ headers }: Response): number | undefined {
  const reset = Number(headers.get('x-ratelimit-reset'))
  if (headers.get('x-ratelimit-remaining') !== '0' || !reset) return undefined
  return Math.min(Math.max(Math.ceil(reset - Date.now() / 1000), 1), maxWaitSeconds)
}

/** Seconds or a date (RFC 9110), limited to one hour whatever the host says. */
function retryAfterSeconds(response: Response): number | undefined {
  const value = response.headers.get('retry-after')
  if (!value) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.min(Math.max(Math.ceil(seconds), 0), maxWaitSeconds) : undefined
}
