/** Errors as clients see them: RFC 9457 problems from one closed list of codes. */
export const problemCodes = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  unauthenticated: { status: 401, title: 'A valid API key or session is needed' },
  insufficient_scope: { status: 403, title: 'The API key may not do this' },
  insufficient_role: { status: 403, title: 'Your role in the project may not do this' },
  cross_origin: { status: 403, title: 'The request comes from another site' },
  reauthentication_required: { status: 403, title: 'Sign in once more to do this' },
  ip_not_allowed: { status: 403, title: 'The API key may not be used from this network' },
  not_found: { status: 404, title: 'There is no such thing here' },
  method_not_allowed: { status: 405, title: 'The address does not take this method' },
  job_archived: { status: 409, title: 'The job is archived' },
  not_cancellable: { status: 409, title: 'The job is not running' },
  project_not_ready: { status: 409, title: 'The project is not set up yet' },
  queue_full: { status: 409, title: 'The job has too many waiting messages' },
  too_large: { status: 413, title: 'The request is too large' },
  unsupported_media_type: { status: 415, title: 'The media type is not taken here' },
  idempotency_key_reused: { status: 422, title: 'The idempotency key was used for another request' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal_error: { status: 500, title: 'Something went wrong on our side' },
  unavailable: { status: 503, title: 'The service cannot do this right now' },
} as const satisfies Record<string, { status: number; title: string }>

export type ProblemCode = keyof typeof problemCodes

export interface FieldError {
  /** Where in the request, like `body/prompt` or `query/limit`. */
  path: string
  message: string
}

export interface ProblemBody {
  type: string
  title: string
  status: number
  detail: string
  code: ProblemCode
  requestId: string
  /** The detail once more, for clients that read only this. */
  error: string
  errors?: readonly FieldError[]
}

/** Thrown anywhere below a route; the HTTP server turns it into the answer. */
export class Problem extends Error {
  readonly code: ProblemCode
  /** One plain sentence that says what to do next. */
  readonly detail: string
  readonly headers: Readonly<Record<string, string>>
  readonly errors: readonly FieldError[] | undefined

  constructor(
    code: ProblemCode,
    detail: string,
    more: { headers?: Record<string, string>; errors?: readonly FieldError[]; cause?: unknown } = {},
  ) {
    super(`${code}: ${detail}`, { cause: more.cause })
    this.code = code
    this.detail = detail
    this.headers = { ...(code === 'unauthenticated' && { 'www-authenticate': 'Bearer' }), ...more.headers } // RFC 9110, 15.5.2
    this.errors = more.errors
  }

  get status(): number {
    return problemCodes[this.code].status
  }

  body(requestId: string): ProblemBody {
    const { status, title } = problemCodes[this.code]
    return {
      type: `urn:colophon:problem:${this.code}`,
      title,
      status,
      detail: this.detail,
      code: this.code,
      requestId,
      error: this.detail,
      ...(this.errors && { errors: this.errors }),
    }
  }
}

export const internalError = (cause: unknown) =>
  new Problem(
    'internal_error',
    'Something went wrong on our side. Try again; if it stays, tell the operator the requestId.',
    {
      cause,
    },
  )
