/** What a provider says went wrong, read for what an engine has to know, and no further. */
import { type Json, objectOf, textOf } from './json.ts'
import { ModelError, type ModelErrorKind } from './model-error.ts'

/** As far as the formats agree: a kind, a code, and words. */
export interface Fault {
  type: string
  code: string
  message: string
}

/** Of `{"error": {…}}`, which all formats have, or of what is within. */
export function readFault(value: Json): Fault {
  const told = objectOf(value.error) ?? value
  return { type: textOf(told.type), code: textOf(told.code), message: textOf(told.message) || textOf(value.error) }
}

const overflow =
  /prompt (?:is )?too long|context[ _]?(?:length|window|size)|(?:maximum|max) (?:prompt|input|context) length|too many tokens|input is too long|input token count|model token limit|length of the messages/i
const noCredit = /insufficient_quota|billing|credit balance|insufficient (?:credits|balance)/i

/** `status` undefined: told in the middle of an answer that had begun well. */
export function asModelError(fault: Fault, status?: number, retryAfter?: string | null): ModelError {
  const kind = kindOf(fault, status)
  const isFailure = kind === 'failed' || kind === 'overloaded'
  return new ModelError(kind, {
    ...(isFailure && status !== undefined && status >= 500 && status < 600 && { status }),
    ...(retryAfter && /^\d{1,5}$/.test(retryAfter) && { retryAfterSeconds: Number(retryAfter) }),
  })
}

function kindOf({ type, code, message }: Fault, status: number | undefined): ModelErrorKind {
  const says = (...names: string[]) => names.includes(type) || names.includes(code)
  const isTheirs = status !== undefined && (status === 429 || status >= 500)
  if (!isTheirs && (overflow.test(message) || says('context_length_exceeded'))) return 'context_overflow'
  if (status === 402 || noCredit.test(`${type} ${code} ${message}`)) return 'no_credit'
  if (status === 413 || says('request_too_large')) return 'too_large'
  if (status === 401 || status === 403 || says('authentication_error', 'permission_error')) return 'key_refused'
  if (status === 429 || says('rate_limit_error', 'rate_limit_exceeded')) return 'rate_limited'
  if (status === 503 || status === 529 || says('overloaded_error', 'server_is_overloaded')) return 'overloaded'
  if (status === undefined) return says('invalid_request_error', 'invalid_prompt') ? 'refused' : 'failed'
  return status === 408 || status === 409 || status >= 500 ? 'failed' : 'refused'
}
