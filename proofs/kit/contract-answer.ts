/** Whether an answer is one that the contract allows. */
import { type ProblemBody, type ProblemCode, problemCodes } from '../../server/src/platform/http/problem.ts'
import type { Answer } from './http-call.ts'

/**
 * Refused with this code; taken, or refused only for what is looked at last, state and limits; or anything that is
 * documented with these statuses and is no failure of ours.
 */
export type Expected = { code: ProblemCode } | 'taken' | { documented: readonly number[] }

export const refusedAs = (code: ProblemCode): Expected => ({ code })

/** Undefined when it is as expected, else what is wrong. */
export function faultOf(response: Answer | undefined, expected: Expected): string | undefined {
  if (!response) return 'there is no answer'
  if (response.status >= 500) return 'the service failed'
  if (expected === 'taken') {
    if (isTaken(response)) return undefined
    return [409, 429].includes(response.status) ? problemFault(response) : 'it is not taken'
  }
  if ('documented' in expected) {
    if (!expected.documented.includes(response.status)) return 'its status is not documented'
    return isTaken(response) ? undefined : problemFault(response)
  }
  return problemFault(response) ?? (codeOf(response) === expected.code ? undefined : `it is not ${expected.code}`)
}

const isTaken = ({ status }: Answer) => status >= 200 && status < 300

const codeOf = ({ text }: Answer) => (JSON.parse(text) as ProblemBody).code

function problemFault({ status, headers, text }: Answer): string | undefined {
  if (!String(headers['content-type']).startsWith('application/problem+json')) return 'it is no problem'
  const problem = JSON.parse(text) as ProblemBody
  const known = problemCodes[problem.code]
  if (!known) return 'its code is not in the list'
  if (problem.status !== status || known.status !== status) return 'status and code do not agree'
  if (problem.type !== `urn:colophon:problem:${problem.code}` || problem.title !== known.title)
    return 'its type is wrong'
  if (problem.requestId !== headers['x-request-id']) return 'it does not carry its request id'
  if (problem.error !== problem.detail || problem.detail === '') return 'it does not say what is wrong'
  return undefined
}
