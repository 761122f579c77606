/** Checks that the API contract allows a response. */
import { type ProblemBody, type ProblemCode, problemDefinitions } from '../../server/src/platform/http/problem.ts'
import type { HttpResponse } from '../../testing/harness/http-call.ts'

/**
 * `code`: rejected with this error code. `accepted`: a 2xx, or a rejection that comes after validation, because of state (409)
 * or a limit (429). `documented`: any of these statuses except a server error.
 */
export type ExpectedResponse = { code: ProblemCode } | 'accepted' | { documented: readonly number[] }

export const expectRejection = (code: ProblemCode): ExpectedResponse => ({ code })

/** Returns how the response differs from the expected one, or undefined. */
export function findResponseViolation(
  response: HttpResponse | undefined,
  expected: ExpectedResponse,
): string | undefined {
  if (!response) return 'no response'
  if (response.status >= 500) return 'server error'
  if (expected === 'accepted') {
    if (isAccepted(response)) return undefined
    return [409, 429].includes(response.status) ? findProblemViolation(response) : 'not accepted'
  }
  if ('documented' in expected) {
    if (!expected.documented.includes(response.status)) return 'undocumented status'
    return isAccepted(response) ? undefined : findProblemViolation(response)
  }
  return (
    findProblemViolation(response) ??
    (codeOf(response) === expected.code ? undefined : `not rejected with ${expected.code}`)
  )
}

const isAccepted = ({ status }: HttpResponse) => status >= 200 && status < 300

const codeOf = ({ text }: HttpResponse) => (JSON.parse(text) as ProblemBody).code

function findProblemViolation({ status, headers, text }: HttpResponse): string | undefined {
  if (!String(headers['content-type']).startsWith('application/problem+json')) return 'not a problem document'
  const problem = JSON.parse(text) as ProblemBody
  const definition = problemDefinitions[problem.code]
  if (!definition) return 'unknown error code'
  if (problem.status !== status || definition.status !== status) return 'status and code do not match'
  if (URL.parse(problem.type)?.pathname !== `/errors/${problem.code}` || problem.title !== definition.title)
    return 'wrong type or title'
  if (problem.requestId !== headers['x-request-id']) return 'wrong request id'
  if (problem.error !== problem.detail || problem.detail === '') return 'no detail, or error and detail differ'
  return undefined
}
