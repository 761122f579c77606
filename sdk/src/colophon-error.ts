import type { Problem } from './generated/types.gen.ts'

/** What is wrong, and where in the request, for example `body/prompt` or `query/limit`. */
export type FieldError = NonNullable<Problem['errors']>[number]

/** The API's error codes, from its description, and the client's own codes for calls without a Colophon response. */
export type KnownErrorCode = Problem['code'] | 'no_response' | 'timeout' | 'unexpected_response'

/** The list is open: a newer server may return codes that this client does not know. */
export type ErrorCode = KnownErrorCode | (string & {})

/** Every error that a call throws, except the reason of a signal that the caller aborted. */
export class ColophonError extends Error {
  override readonly name = 'ColophonError'
  readonly code: ErrorCode
  /** One or two sentences that say what is wrong and, where possible, what to do next. */
  readonly detail: string
  /** Undefined if there was no response. */
  readonly status: number | undefined
  /** Identifies the request in the server's log. */
  readonly requestId: string | undefined
  /** The invalid fields of the request. Empty unless the code is `invalid_request`. */
  readonly errors: readonly FieldError[]
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ErrorCode,
    detail: string,
    options: {
      status?: number | undefined
      requestId?: string | undefined
      errors?: readonly FieldError[]
      retryAfterSeconds?: number | undefined
      cause?: unknown
    } = {},
  ) {
    const fields = options.errors?.map(({ path, message }) => ` ${path}: ${message}.`).join('') ?? ''
    const requestId = options.requestId === undefined ? '' : ` (${options.requestId})` // in the message, because CI logs only show that
    super(`${code}: ${detail}${fields}${requestId}`, { cause: options.cause })
    this.code = code
    this.detail = detail
    this.status = options.status
    this.requestId = options.requestId
    this.errors = options.errors ?? []
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/**
 * Whether an error is a `ColophonError`, with one of the given codes if there are any. Also recognizes the errors of another copy
 * of this package, which `instanceof` does not.
 * @example
 * try {
 *   await client.jobs.get(projectId, jobId)
 * } catch (error) {
 *   if (!isColophonError(error, 'not_found')) throw error
 * }
 */
export const isColophonError = <Code extends KnownErrorCode = never>(
  error: unknown,
  ...codes: readonly Code[]
): error is ColophonErrorWithCode<Code> =>
  error instanceof Error &&
  error.name === 'ColophonError' &&
  (codes.length === 0 || codes.some((code) => code === (error as ColophonError).code))

type ColophonErrorWithCode<Code> = [Code] extends [never] ? ColophonError : ColophonError & { readonly code: Code }
