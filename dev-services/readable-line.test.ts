import { expect, test } from 'vitest'
import { readableLine } from './readable-line.ts'

test('a request is told in one short line', () => {
  const line = { level: 'info', time: '2026-01-02T03:04:05.678Z', process: 'api', requestId: 'req_1', msg: 'request' }
  const request = { method: 'GET', route: '/v2/me', path: '/v2/me', status: 200, milliseconds: 3 }
  expect(readableLine(JSON.stringify({ ...line, ...request }))).toBe('03:04:05 GET /v2/me → 200 in 3 ms')
})

test('other lines keep their details, and what is not JSON stays as it is', () => {
  const line = {
    level: 'warn',
    time: '2026-01-02T03:04:05.678Z',
    process: 'api',
    part: 'postgres',
    msg: 'part does not work',
  }
  expect(readableLine(JSON.stringify(line))).toBe('03:04:05 WARN part does not work {"part":"postgres"}')
  expect(readableLine('Restarting …')).toBe('Restarting …')
})
