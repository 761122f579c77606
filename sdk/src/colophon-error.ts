import type { Problem } from './generated/types.gen.ts'

/** What is wrong, and where in the request, like `body/prompt` or `query/limit`. */
export type FieldError = NonNullable<Problem['errors']>[number]

/**
 * The API's codes, and what can go wrong without Colophon's own words for it. An open list: a later server may know more
 * codes than this client.
 */
export type ErrorCode = Problem['code'] | 'no_response' | 'timeout' | 'unexpected_response' | (string & {})

/** Everything a call throws, except the reason of a signal that the caller aborted. */
export class ColophonError extends Error {
  override readonly name = 'ColophonError'
  readonly code: ErrorCode
  /** One plain sentence that says what is wrong and, where possible, what to do next. */
  readonly detail: string
  /** Absent when no answer came. */
  readonly status: number | undefined
  /** What the operator finds the request by. */
  readonly requestId: string | undefined
  /** What is wrong where in the request; empty unless the code is `invalid_request`. */
  readonly errors: readonly FieldError[]
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ErrorCode,
    detail: string,
    more: {
      status?: number | undefined
      requestId?: string | undefined
      errors?: readonly FieldError[]
      retryAfterSeconds?: number | undefined
      cause?: unknown
    } = {},
  ) {
    const fields = more.errors?.map(({ path, message }) => ` ${path}: ${message}.`).join('') ?? ''
    const found = more.requestId === undefined ? '' : ` (${more.requestId})` // in the message, because CI logs keep only that
    super(`${code}: ${detail}${fields}${found}`, { cause: more.cause })
    this.code = code
    this.detail = detail
    this.status = more.status
    this.requestId = more.requestId
    this.errors = more.errors ?? []
    this.retryAfterSeconds = more.retryAfterSeconds
  }
}
