/** Distinguishes Colophon's responses and problems from those of proxies and of other programs at a wrong URL. */
import { ColophonError, type FieldError } from './colophon-error.ts'
import type { Problem } from './generated/types.gen.ts'

export interface ExpectedResponse<Body> {
  /** Statuses other than 2xx with which the server sends the expected body instead of a problem. */
  additionalStatuses?: readonly number[]
  isExpectedBody: (body: unknown) => body is Body
}

export function readResponse<Body>(url: URL, response: Response, text: string, expected: ExpectedResponse<Body>): Body {
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
  if ((response.ok || expected.additionalStatuses?.includes(status)) && expected.isExpectedBody(body)) return body
  throw new ColophonError('unexpected_response', describeUnexpected(url, response), {
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: retryAfterSeconds(headers),
  })
}

/** The code may be one that this client does not know. */
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
  // A browser hides the status and the target of a redirect that it does not follow.
  if (type === 'opaqueredirect') return `${url} redirects. Use the URL that it redirects to.`
  const location = headers.get('location')
  if (location !== null) return `${url} redirects to ${location}. Use that URL instead.`
  return `${url} sent status ${status} and a body that is not from Colophon. Check the URL, and any proxy in front of it.`
}

/** The header is a number of seconds or a date; proxies send either. */
function retryAfterSeconds(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - Date.now()) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
