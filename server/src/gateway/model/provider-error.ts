/** Reads from a provider's error what an agent has to know, and nothing else. */
import { type JsonObject, toJsonObject, toStringOrEmpty } from './json.ts'
import { ModelError, type ModelErrorKind } from './model-error.ts'

/** The fields that all formats have in common. */
export interface ProviderError {
  type: string
  code: string
  message: string
}

/** From `{"error": {…}}`, which all formats have, or from the inner object. */
export function parseProviderError(value: JsonObject): ProviderError {
  const error = toJsonObject(value.error) ?? value
  return {
    type: toStringOrEmpty(error.type),
    code: toStringOrEmpty(error.code),
    message: toStringOrEmpty(error.message) || toStringOrEmpty(value.error),
  }
}

const contextOverflowPattern =
  /prompt (?:is )?too long|context[ _]?(?:length|window|size)|(?:maximum|max) (?:prompt|input|context) length|too many tokens|input is too long|input token count|model token limit|length of the messages/i
const noCreditPattern = /insufficient_quota|billing|credit balance|insufficient (?:credits|balance)/i

/** `status` is undefined for an error in the middle of a successful response. */
export function toModelError(providerError: ProviderError, status?: number, retryAfter?: string | null): ModelError {
  const kind = kindOf(providerError, status)
  const isFailure = kind === 'failed' || kind === 'overloaded'
  return new ModelError(kind, {
    ...(isFailure && status !== undefined && status >= 500 && status < 600 && { status }),
    ...(retryAfter && /^\d{1,5}$/.test(retryAfter) && { retryAfterSeconds: Number(retryAfter) }),
  })
}

function kindOf({ type, code, message }: ProviderError, status: number | undefined): ModelErrorKind {
  const hasName = (...names: string[]) => names.includes(type) || names.includes(code)
  const isProviderFailure = status !== undefined && (status === 429 || status >= 500)
  if (!isProviderFailure && (contextOverflowPattern.test(message) || hasName('context_length_exceeded')))
    return 'context_overflow'
  if (status === 402 || noCreditPattern.test(`${type} ${code} ${message}`)) return 'no_credit'
  if (status === 413 || hasName('request_too_large')) return 'too_large'
  if (status === 401 || status === 403 || hasName('authentication_error', 'permission_error')) return 'key_rejected'
  if (status === 429 || hasName('rate_limit_error', 'rate_limit_exceeded')) return 'rate_limited'
  if (status === 503 || status === 529 || hasName('overloaded_error', 'server_is_overloaded')) return 'overloaded'
  if (status === undefined) return hasName('invalid_request_error', 'invalid_prompt') ? 'rejected' : 'failed'
  return status === 408 || status === 409 || status >= 500 ? 'failed' : 'rejected'
}
