import { describe, expect, it } from 'vitest'
import { EgressError } from '../platform/egress/egress-error.ts'
import { type CodeHostError, failureOfCall, failureOfStatus, isCodeHostError } from './code-host-error.ts'

const ofStatus = (status: number, retryAfter?: string) =>
  failureOfStatus(new Response(null, { status, headers: retryAfter ? { 'retry-after': retryAfter } : {} }), 'GET /')
    .failure

describe('failureOfStatus', () => {
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
    expect(ofStatus(status)).toMatchObject({ kind, code })
  })

  it('waits as long as the host asks, within reason', () => {
    expect(ofStatus(429, '12')).toMatchObject({ retryAfterSeconds: 12 })
    expect(ofStatus(503, '99999999')).toMatchObject({ retryAfterSeconds: 3600 })
    expect(ofStatus(429, 'Thu, 01 Jan 1970 00:00:00 GMT')).toMatchObject({ retryAfterSeconds: 0 })
    expect(ofStatus(429, 'soon')).toMatchObject({ retryAfterSeconds: undefined })
  })
})

describe('failureOfCall', () => {
  it('keeps the words of the one door, and leaves our own mistakes as they are', () => {
    const failure = failureOfCall(new EgressError('address_not_allowed', 'No.'))
    expect(isCodeHostError(failure, 'address_refused')).toBe(true)
    expect((failure as CodeHostError).message).toBe('No.')
    const mistake = new TypeError('x')
    expect(failureOfCall(mistake)).toBe(mistake)
  })
})
