import { expect, test } from 'vitest'
import { formatLogLine } from './format-log-line.ts'

test('shows a request as one short line', () => {
  const line = { level: 'info', time: '2026-01-02T03:04:05.678Z', process: 'api', requestId: 'req_1', msg: 'request' }
  const request = { method: 'GET', route: '/v2/me', path: '/v2/me', status: 200, milliseconds: 3 }
  expect(formatLogLine(JSON.stringify({ ...line, ...request }))).toBe('03:04:05 GET /v2/me → 200 in 3 ms')
})

test('shows the details of other lines, and leaves lines that are not JSON unchanged', () => {
  const line = {
    level: 'warn',
    time: '2026-01-02T03:04:05.678Z',
    process: 'api',
    component: 'postgres',
    msg: 'component failing',
  }
  expect(formatLogLine(JSON.stringify(line))).toBe('03:04:05 WARN component failing {"component":"postgres"}')
  expect(formatLogLine('Restarting …')).toBe('Restarting …')
})
