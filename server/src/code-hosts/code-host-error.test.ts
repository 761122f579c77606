import { describe, expect, it } from 'vitest'
import { EgressError } from '../platform/egress/egress-error.ts'
import { type CodeHostError, errorFromStatus, isCodeHostErrorWithCode, toCodeHostError } from './code-host-error.ts'

const failureFor = (status: number, retryAfter?: string) =>
  errorFromStatus(new Response(null, { status, headers: retryAfter ? { 'retry-after': retryAfter } : {} }), 'GET /')
    .failure

describe('errorFromStatus', () => {
  it.each<[number, string, string]>([
    ...[500, 502, 503, 504, 408].map((status): [number, string, string] => [status, 'retry', 'server_error']),
    [429, 'retry', 'rate_limited'],
    [401, 'final', 'token_rejected'],
    [403, 'final', 'forbidden'],
    [404, 'final', 'not_found'],
    [409, 'final', 'conflict'],
    ...[400, 410, 422, 423].map((status): [number, string, string] => [status, 'final', 'rejected']),
    ...[301, 302, 307, 308].map((status): [number, string, string] => [status, 'final', 'moved']),
  ])('%i: %s, %s', (status, kind, code) => {
    expect(failureFor(status)).toMatchObject({ kind, code })
  })

  it('respects Retry-After up to one hour', () => {
    expect(failureFor(429, '12')).toMatchObject({ retryAfterSeconds: 12 })
    expect(failureFor(503, '99999999')).toMatchObject({ retryAfterSeconds: 3600 })
    expect(failureFor(429, 'Thu, 01 Jan 1970 00:00:00 GMT')).toMatchObject({ retryAfterSeconds: 0 })
    expect(failureFor(429, 'soon')).toMatchObject({ retryAfterSeconds: undefined })
  })
})

describe('toCodeHostError', () => {
  it('keeps the message of an egress error, and leaves other errors unchanged', () => {
    const failure = toCodeHostError(new EgressError('address_not_allowed', 'No.'))
    expect(isCodeHostErrorWithCode(failure, 'address_not_allowed')).toBe(true)
    expect((failure as CodeHostError).message).toBe('No.')
    const programmingError = new TypeError('x')
    expect(toCodeHostError(programmingError)).toBe(programmingError)
  })
})
