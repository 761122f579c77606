/** Errors as API clients see them: RFC 9457 problem details with a `code` from one closed list. */

interface ProblemDefinition {
  status: number
  title: string
  /** What happened, in one sentence, for the page that documents the code. */
  meaning: string
  /** What to do next, for the same page. */
  action: string
}

export const problemDefinitions = {
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    meaning: 'The request is malformed, or a parameter, header or field has a value that is not allowed.',
    action: 'Read `detail` and, if present, `errors`. Then correct the request and send it again.',
  },
  unauthenticated: {
    status: 401,
    title: 'Authentication required',
    meaning: 'The API key, session, password, token or signature is missing, wrong, expired or revoked.',
    action: 'Send a valid API key as `Authorization: Bearer …`, or sign in again.',
  },
  insufficient_scope: {
    status: 403,
    title: 'Insufficient scope',
    meaning: 'The API key, site key or token is valid, but does not allow this request.',
    action: 'Use a key that has the scope named in `detail`, or ask an owner of the project to create one.',
  },
  insufficient_role: {
    status: 403,
    title: 'Insufficient role',
    meaning: 'Your role in the project or on the instance does not allow this.',
    action: 'Ask an owner of the project, or an operator of the instance, to do it or to give you the role.',
  },
  cross_origin: {
    status: 403,
    title: 'Cross-origin request blocked',
    meaning: 'A browser sent the request with a session cookie from a page of another origin.',
    action: 'Use the dashboard at the public URL of the instance, or call the API with an API key.',
  },
  reauthentication_required: {
    status: 403,
    title: 'Reauthentication required',
    meaning:
      'The action could grant lasting access or destroy something, and needs a sign-in within the last 10 minutes.',
    action: 'Sign in again and repeat the request.',
  },
  second_factor_required: {
    status: 403,
    title: 'Second factor required',
    meaning: 'The instance or the project requires a second factor, and you signed in with only a password.',
    action: 'Add a passkey or an authenticator app on the account page of the dashboard and repeat the request.',
  },
  ip_not_allowed: {
    status: 403,
    title: 'IP address not allowed',
    meaning: 'The API key is restricted to networks that the request does not come from.',
    action: 'Send the request from an allowed network, or create a key that allows yours.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    meaning: 'The resource does not exist, or you do not have access to it.',
    action: 'Check the URL and the IDs in it, and that your key or role belongs to the project.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The URL exists, but does not support the HTTP method that was used.',
    action: 'Use one of the methods in the `Allow` header of the response.',
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
    meaning: 'The request did not arrive completely within the time limit, and the connection was closed.',
    action: 'Send the request again on a new connection; split a large upload into smaller ones.',
  },
  job_archived: {
    status: 409,
    title: 'Job archived',
    meaning: 'The job is archived and accepts no more messages.',
    action: 'Create a new job.',
  },
  not_cancellable: {
    status: 409,
    title: 'Job not cancellable',
    meaning: 'The job is not active, so there is nothing to cancel.',
    action: 'No action is needed: the job has already ended. Get the job to see its status.',
  },
  not_awaiting_approval: {
    status: 409,
    title: 'Result does not await approval',
    meaning: 'The job has no result that awaits approval, or another one than the request names.',
    action:
      'Get the job and read its diff. If `outcome` is `awaiting_approval`, send its current `approval.diffSha256`.',
  },
  project_not_ready: {
    status: 409,
    title: 'Project not ready',
    meaning: 'The project lacks something that the request needs: a working repository, a model or a GitHub App.',
    action: 'Complete the setup that `detail` names and send the request again.',
  },
  queue_full: {
    status: 409,
    title: 'Message queue full',
    meaning: 'The job has the maximum number of queued messages.',
    action: 'Wait until the job has worked on some of them and send the message again.',
  },
  too_large: {
    status: 413,
    title: 'Content too large',
    meaning: 'The request body or headers are larger than the server accepts.',
    action: 'Send less at a time: split the request into several.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    meaning: 'The server does not accept the `Content-Type` or the `Content-Encoding` of the request.',
    action: 'Send the body in a format that `detail` names, usually `application/json` without compression.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key reused',
    meaning: 'The `Idempotency-Key` was already used for a different request.',
    action: 'Use a new key for each new request, and the same key only to retry the same request.',
  },
  rate_limited: {
    status: 429,
    title: 'Rate limit exceeded',
    meaning: 'There were more requests in a period, or more at the same time, than the limit allows.',
    action: 'Wait for the number of seconds in the `Retry-After` header and send the request again.',
  },
  internal_error: {
    status: 500,
    title: 'Internal server error',
    meaning: 'The server failed unexpectedly. The cause is in its log, under the `requestId`.',
    action: 'Send the request again. If it keeps failing, give the `requestId` to an operator of the instance.',
  },
  unavailable: {
    status: 503,
    title: 'Service unavailable',
    meaning: 'The server is overloaded, or a service that it depends on cannot be reached.',
    action: 'Send the request again after the number of seconds in the `Retry-After` header, or in a few seconds.',
  },
} as const satisfies Record<string, ProblemDefinition>

export type ProblemCode = keyof typeof problemDefinitions

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
  /** Repeats `detail`, for clients that read only this field. */
  error: string
  errors?: readonly FieldError[]
}

/** Code below a route throws it; the HTTP server turns it into the response. */
export class Problem extends Error {
  readonly code: ProblemCode
  /** A full sentence that says what is wrong and what to do next. */
  readonly detail: string
  readonly headers: Readonly<Record<string, string>>
  readonly errors: readonly FieldError[] | undefined

  constructor(
    code: ProblemCode,
    detail: string,
    options: { headers?: Record<string, string>; errors?: readonly FieldError[]; cause?: unknown } = {},
  ) {
    super(`${code}: ${detail}`, { cause: options.cause })
    this.code = code
    this.detail = detail
    this.headers = { ...(code === 'unauthenticated' && { 'www-authenticate': 'Bearer' }), ...options.headers } // RFC 9110, 15.5.2
    this.errors = options.errors
  }

  get status(): number {
    return problemDefinitions[this.code].status
  }

  /** `publicUrl`: of the instance, whose `/errors/:code` documents the code. Undefined where there is no such page. */
  body(requestId: string, publicUrl: string | undefined): ProblemBody {
    const { status, title } = problemDefinitions[this.code]
    return {
      type: publicUrl === undefined ? 'about:blank' : `${publicUrl}/errors/${this.code}`, // RFC 9457, 4.2.1
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

export const internalErrorProblem = (cause: unknown) =>
  new Problem(
    'internal_error',
    'The server failed unexpectedly. Try again; if it keeps failing, give the requestId to an operator.',
    { cause },
  )
