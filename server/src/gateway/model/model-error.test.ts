import { describe, expect, it } from 'vitest'
import { createAnthropicErrorBody, createOpenaiErrorBody, ModelError, type ModelErrorKind } from './model-error.ts'
import { toModelError } from './provider-error.ts'

// What pi searches for in the text of an error: final errors first, then retryable ones; and those that need a shorter
// prompt.
const finalPattern = /insufficient_quota|out of budget|quota exceeded|billing/i
const retryPattern =
  /overloaded|rate.?limit|too many requests|429|500|502|503|504|520|524|server.?error|internal.?error|connection.?error|connection.?refused|timeout|timed? out|terminated/i
const shortenPattern = /prompt (?:is )?too long|request_too_large|exceeds the context window/i

const expectedReactions: Record<ModelErrorKind, 'final' | 'retry' | 'shorten'> = {
  invalid_request: 'final',
  unauthenticated: 'final',
  not_allowed: 'final',
  too_large: 'shorten',
  context_overflow: 'shorten',
  out_of_budget: 'final',
  no_credit: 'final',
  key_rejected: 'final',
  rejected: 'final',
  rate_limited: 'retry',
  overloaded: 'retry',
  failed: 'retry',
  unreachable: 'retry',
  timeout: 'retry',
  internal_error: 'retry',
}

describe.each(Object.entries(expectedReactions) as [ModelErrorKind, string][])('%s', (kind, expected) => {
  it.each([createAnthropicErrorBody, createOpenaiErrorBody])(
    `makes the agent react with "${expected}", in the formats of both providers`,
    (bodyOf) => {
      const error = new ModelError(kind)
      const text = `${error.status} ${JSON.stringify(bodyOf(error))}`
      const reaction = shortenPattern.test(text)
        ? 'shorten'
        : finalPattern.test(text) || !retryPattern.test(text)
          ? 'final'
          : 'retry'
      expect(reaction).toBe(expected)
    },
  )
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
    ['key_rejected', 401, 'x'],
    ['key_rejected', 403, 'x'],
    ['overloaded', 529, 'x'],
    ['overloaded', 503, 'x'],
    ['failed', 500, 'x'],
    ['failed', 409, 'x'],
    ['rejected', 404, 'x'],
    ['rejected', 301, 'x'],
    ['overloaded', undefined, 'x', 'overloaded_error'],
    ['rate_limited', undefined, 'x', '', 'rate_limit_exceeded'],
    ['rejected', undefined, 'x', 'invalid_request_error'],
    ['failed', undefined, 'x'],
  ])('is classified as %s: %s %s %s %s', (kind, status, message, type, code) => {
    const error = toModelError(fault(message, type, code), status)
    expect(error.kind).toBe(kind)
    expect(error.message).not.toBe(message)
  })

  it('keeps Retry-After only if it is a valid number of seconds', () => {
    const retryAfter = (value: string) => toModelError(fault('x'), 429, value).retryAfterSeconds
    expect(['7', '0', '99999'].map(retryAfter)).toEqual([7, 0, 99999])
    expect(['', '-1', '1e9', '999999', 'Wed, 21 Oct 2026 07:28:00 GMT', '7\r\nx: y'].map(retryAfter)).toEqual(
      Array.from({ length: 6 }),
    )
  })
})
