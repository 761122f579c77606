import { expect, test } from 'vitest'
import { describeWithCauses, isServiceUnavailable } from './service-unavailable.ts'

const refused = (address: string) =>
  Object.assign(new Error(`connect ECONNREFUSED ${address}`), { code: 'ECONNREFUSED' })

test('describes the error of a host with several addresses, which has no message', () => {
  const error = new AggregateError([refused('::1:5432'), refused('127.0.0.1:5432')])
  expect(isServiceUnavailable(error)).toBe(true)
  expect(describeWithCauses(error)).toBe('connect ECONNREFUSED ::1:5432, connect ECONNREFUSED 127.0.0.1:5432')
})

test('describes the cause of an error', () => {
  const error = new Error('fetch failed', { cause: refused('127.0.0.1:8123') })
  expect(isServiceUnavailable(error)).toBe(true)
  expect(describeWithCauses(error)).toBe('fetch failed: connect ECONNREFUSED 127.0.0.1:8123')
})
