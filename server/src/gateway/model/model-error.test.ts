import { describe, expect, it } from 'vitest'
import { anthropicErrorBody, ModelError, type ModelErrorKind, openaiErrorBody } from './model-error.ts'
import { asModelError } from './provider-error.ts'

// What pi looks for in an error's text: first what is final, then what may be tried again; and what asks for a shorter prompt.
const final = /insufficient_quota|out of budget|quota exceeded|billing/i
const again =
  /overloaded|rate.?limit|too many requests|429|500|502|503|504|520|524|server.?error|internal.?error|connection.?error|connection.?refused|timeout|timed? out|terminated/i
const shorter = /prompt (?:is )?too long|request_too_large|exceeds the context window/i

const meaning: Record<ModelErrorKind, 'final' | 'again' | 'shorter'> = {
  invalid_request: 'final',
  unauthenticated: 'final',
  not_allowed: 'final',
  too_large: 'shorter',
  context_overflow: 'shorter',
  out_of_budget: 'final',
  no_credit: 'final',
  key_refused: 'final',
  refused: 'final',
  rate_limited: 'again',
  overloaded: 'again',
  failed: 'again',
  unreachable: 'again',
  timeout: 'again',
  internal_error: 'again',
}

describe.each(Object.entries(meaning) as [ModelErrorKind, string][])('%s', (kind, expected) => {
  it.each([anthropicErrorBody, openaiErrorBody])(`is ${expected} to the engine, in both vendors' shapes`, (bodyOf) => {
    const error = new ModelError(kind)
    const text = `${error.status} ${JSON.stringify(bodyOf(error))}`
    const read = shorter.test(text) ? 'shorter' : final.test(text) || !again.test(text) ? 'final' : 'again'
    expect(read).toBe(expected)
  })
})

describe("a provider's error", () => {
  const fault = (message: string, type = '', code = '') => ({ message, type, code })

  it.each<[kind: ModelErrorKind, status: number | undefined, message: string, type?: string, code?: string]>([
    ['context_overflow', 400, 'prompt is too long: 213462 tokens > 200000 maximum'],
    ['context_overflow', 400, 'Your input exceeds the context window of this model'],
    ['context_overflow', 400, "This endpoint's maximum context length is 8192 tokens."],
    ['context_overflow', 400, 'Please reduce the length of the messages or completion.'],
    ['context_overflow', 422, 'x', '', 'context_length_exceeded'],
    ['rate_limited', 429, 'Too many tokens per minute: context window'],
    ['no_credit', 400, 'Your credit balance is too low to access the Anthropic API.'],
    ['no_credit', 429, 'You exceeded your current quota', 'insufficient_quota', 'insufficient_quota'],
    ['no_credit', 402, 'Insufficient credits'],
    ['too_large', 413, 'x'],
    ['key_refused', 401, 'x'],
    ['key_refused', 403, 'x'],
    ['overloaded', 529, 'x'],
    ['overloaded', 503, 'x'],
    ['failed', 500, 'x'],
    ['failed', 409, 'x'],
    ['refused', 404, 'x'],
    ['refused', 301, 'x'],
    ['overloaded', undefined, 'x', 'overloaded_error'],
    ['rate_limited', undefined, 'x', '', 'rate_limit_exceeded'],
    ['refused', undefined, 'x', 'invalid_request_error'],
    ['failed', undefined, 'x'],
  ])('is %s: %s %s %s %s', (kind, status, message, type, code) => {
    const error = asModelError(fault(message, type, code), status)
    expect(error.kind).toBe(kind)
    expect(error.message).not.toBe(message)
  })

  it('keeps a time to wait only when it is one', () => {
    const wait = (value: string) => asModelError(fault('x'), 429, value).retryAfterSeconds
    expect(['7', '0', '99999'].map(wait)).toEqual([7, 0, 99999])
    expect(['', '-1', '1e9', '999999', 'Wed, 21 Oct 2026 07:28:00 GMT', '7\r\nx: y'].map(wait)).toEqual(
      Array.from({ length: 6 }),
    )
  })
})
