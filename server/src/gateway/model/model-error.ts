/**
 * What can go wrong with a call of a model, in each vendor's shape, which is what an engine reads to know whether to try
 * again. The words are ours, always: a provider's own may name keys, accounts and machines. Engines look for words and for
 * statuses in them (pi retries whatever says 429 or 500, and never what is out of budget), so they hold no other numbers.
 */
type Kind = { status: number; anthropic: string; openai: { type: string; code: string | null }; message: string }

const invalid = { type: 'invalid_request_error', code: null }
const noCredit = {
  status: 402,
  anthropic: 'billing_error',
  openai: { type: 'insufficient_quota', code: 'insufficient_quota' },
}

const kinds = {
  invalid_request: {
    status: 400,
    anthropic: 'invalid_request_error',
    openai: invalid,
    message: 'The request is not valid.',
  },
  unauthenticated: {
    status: 401,
    anthropic: 'authentication_error',
    openai: { ...invalid, code: 'invalid_api_key' },
    message: 'This token is not known here, or its turn is over.',
  },
  not_allowed: {
    status: 403,
    anthropic: 'permission_error',
    openai: { ...invalid, code: 'permission_denied' },
    message: 'The job may not call this model.',
  },
  too_large: {
    status: 413,
    anthropic: 'request_too_large',
    openai: { ...invalid, code: 'request_too_large' },
    message: 'The request exceeds the maximum size.',
  },
  context_overflow: {
    status: 400,
    anthropic: 'invalid_request_error',
    openai: { ...invalid, code: 'context_length_exceeded' },
    message: 'The prompt is too long: it exceeds the context window of this model.',
  },
  out_of_budget: { ...noCredit, message: 'The job is out of budget.' },
  no_credit: {
    ...noCredit,
    message: "The provider says that the operator's account has no credit left: see its billing.",
  },
  key_refused: {
    status: 401,
    anthropic: 'authentication_error',
    openai: { ...invalid, code: 'invalid_api_key' },
    message: "The provider does not take the operator's key for this model: tell the operator.",
  },
  refused: {
    status: 400,
    anthropic: 'invalid_request_error',
    openai: invalid,
    message: 'The provider does not take this request.',
  },
  rate_limited: {
    status: 429,
    anthropic: 'rate_limit_error',
    openai: { type: 'requests', code: 'rate_limit_exceeded' },
    message: 'Rate limit: wait before the next call.',
  },
  overloaded: {
    status: 503,
    anthropic: 'overloaded_error',
    openai: { type: 'server_error', code: 'server_is_overloaded' },
    message: 'The provider is overloaded.',
  },
  failed: {
    status: 502,
    anthropic: 'api_error',
    openai: { type: 'server_error', code: 'server_error' },
    message: 'The provider had a server error.',
  },
  unreachable: {
    status: 502,
    anthropic: 'api_error',
    openai: { type: 'server_error', code: 'server_error' },
    message: 'The provider cannot be reached: connection error.',
  },
  timeout: {
    status: 504,
    anthropic: 'timeout_error',
    openai: { type: 'server_error', code: 'timeout' },
    message: 'The provider did not answer in time: timeout.',
  },
  internal_error: {
    status: 500,
    anthropic: 'api_error',
    openai: { type: 'server_error', code: 'server_error' },
    message: 'Internal error: something went wrong on our side.',
  },
} as const satisfies Record<string, Kind>

export type ModelErrorKind = keyof typeof kinds

export class ModelError extends Error {
  readonly kind: ModelErrorKind
  readonly status: number
  readonly retryAfterSeconds: number | undefined

  constructor(kind: ModelErrorKind, more: { message?: string; status?: number; retryAfterSeconds?: number } = {}) {
    super(more.message ?? kinds[kind].message)
    this.kind = kind
    this.status = more.status ?? kinds[kind].status
    this.retryAfterSeconds = more.retryAfterSeconds
  }
}

export const anthropicErrorBody = ({ kind, message }: ModelError) => ({
  type: 'error',
  error: { type: kinds[kind].anthropic, message },
})

export const openaiErrorBody = ({ kind, message }: ModelError) => ({
  error: { message, type: kinds[kind].openai.type, param: null, code: kinds[kind].openai.code },
})
