/**
 * Errors of a model call, in the format of each provider, from which an agent decides whether to retry. The messages
 * are always ours: a provider's own message may name keys, accounts and machines. Agents search them for words and
 * statuses (pi retries an error that contains 429 or 500, and never one that contains "out of budget"), so they contain
 * no other numbers.
 */
type ErrorDefinition = {
  status: number
  anthropic: string
  openai: { type: string; code: string | null }
  message: string
}

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
    message: 'Invalid request.',
  },
  unauthenticated: {
    status: 401,
    anthropic: 'authentication_error',
    openai: { ...invalid, code: 'invalid_api_key' },
    message: 'The token is invalid, or its attempt has ended.',
  },
  not_allowed: {
    status: 403,
    anthropic: 'permission_error',
    openai: { ...invalid, code: 'permission_denied' },
    message: 'The job is not allowed to use this model.',
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
    message: "This instance's account at the provider has no credit left. An operator must check its billing.",
  },
  key_rejected: {
    status: 401,
    anthropic: 'authentication_error',
    openai: { ...invalid, code: 'invalid_api_key' },
    message: "The provider rejected this model's API key. Contact an operator.",
  },
  rejected: {
    status: 400,
    anthropic: 'invalid_request_error',
    openai: invalid,
    message: 'The provider rejected this request.',
  },
  rate_limited: {
    status: 429,
    anthropic: 'rate_limit_error',
    openai: { type: 'requests', code: 'rate_limit_exceeded' },
    message: 'Rate limit exceeded: wait before the next call.',
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
    message: 'The provider reported a server error.',
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
    message: 'The provider did not respond in time: timeout.',
  },
  internal_error: {
    status: 500,
    anthropic: 'api_error',
    openai: { type: 'server_error', code: 'server_error' },
    message: 'Internal error in the gateway.',
  },
} as const satisfies Record<string, ErrorDefinition>

export type ModelErrorKind = keyof typeof kinds

export class ModelError extends Error {
  readonly kind: ModelErrorKind
  readonly status: number
  readonly retryAfterSeconds: number | undefined

  constructor(kind: ModelErrorKind, options: { message?: string; status?: number; retryAfterSeconds?: number } = {}) {
    super(options.message ?? kinds[kind].message)
    this.kind = kind
    this.status = options.status ?? kinds[kind].status
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

export const createAnthropicErrorBody = ({ kind, message }: ModelError) => ({
  type: 'error',
  error: { type: kinds[kind].anthropic, message },
})

export const createOpenaiErrorBody = ({ kind, message }: ModelError) => ({
  error: { message, type: kinds[kind].openai.type, param: null, code: kinds[kind].openai.code },
})
