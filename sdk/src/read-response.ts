/** Tells an answer of Colophon from one of its problems, and both from what proxies and wrong addresses answer. */
import { ColophonError, type FieldError } from './colophon-error.ts'
import type { Problem } from './generated/types.gen.ts'

export interface Expected<Answer> {
  /** Statuses, beside 2xx, that carry the answer and no problem. */
  alsoStatus?: readonly number[]
  isResponse: (body: unknown) => body is Answer
}

export function readResponse<Answer>(url: URL, response: Response, text: string, expected: Expected<Answer>): Answer {
  const body = parseJson(text)
  const { headers, status } = response
  if (headers.get('content-type')?.startsWith('application/problem+json') && isProblem(body)) {
    throw new ColophonError(body.code, body.detail, {
      status,
      requestId: body.requestId,
      errors: body.errors ?? [],
      retryAfterSeconds: retryAfterSeconds(headers),
    })
  }
  if ((response.ok || expected.alsoStatus?.includes(status)) && expected.isResponse(body)) return body
  throw new ColophonError('unexpected_response', describeUnexpected(url, response), {
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: retryAfterSeconds(headers),
  })
}

/** A code that this client does not know makes it no less a problem. */
type AnyProblem = Pick<Problem, 'detail' | 'requestId' | 'errors'> & { code: string }

const isProblem = (body: unknown): body is AnyProblem =>
  isObject(body) &&
  typeof body.code === 'string' &&
  typeof body.detail === 'string' &&
  typeof body.requestId === 'string' &&
  (body.errors === undefined || (Array.isArray(body.errors) && body.errors.every(isFieldError)))

const isFieldError = (value: unknown): value is FieldError =>
  isObject(value) && typeof value.path === 'string' && typeof value.message === 'string'

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function describeUnexpected(url: URL, { type, status, headers }: Response): string {
  // A browser hides status and target of a redirect that it was told not to follow.
  if (type === 'opaqueredirect') return `${url} redirects: use the address it leads to.`
  const location = headers.get('location')
  if (location !== null) return `${url} redirects to ${location}: use that address.`
  return `${url} answered ${status}, but not as Colophon does: is the address right, or is a proxy in between?`
}

/** Seconds or a date: proxies send either. */
function retryAfterSeconds(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - Date.now()) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
