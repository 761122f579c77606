import { expect, test } from 'vitest'
import { createLog, redactSecrets } from './log.ts'
import { cpuMillisecondsOf } from './testing/cpu-milliseconds.ts'

test('redacts secrets anywhere in a line', () => {
  const lines: string[] = []
  const log = createLog('api', { level: 'info' }, { write: (line: string) => void lines.push(line) })
  const key = `colophon_${'aB3'.repeat(12)}xy`
  log.error(
    { error: `connect to postgres://colophon:s3cr3t@db/colophon failed`, headers: { authorization: `Bearer ${key}` } },
    `key ${key} was rejected`,
  )
  expect(lines).toHaveLength(1)
  expect(lines[0]).not.toMatch(/s3cr3t|aB3aB3/)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'error',
    process: 'api',
    msg: 'key colophon_[redacted] was rejected',
  })
})

test('keeps the names of settings', () => {
  const line = 'permission denied: check COLOPHON_DATABASE_URL and COLOPHON_SEALING_PRIVATE_KEYS_FILE'
  expect(redactSecrets(line)).toBe(line)
  expect(redactSecrets('COLOPHON_AB3AB3AB3AB3AB3')).not.toContain('AB3')
})

test.each([
  ['GET /v2/colophon%5FaB3aB3aB3aB3aB3aB3', 'aB3aB3'],
  ['postgres://u:p@ss:w0rd@db/x', 'w0rd'],
  ['https://ghp_1234567890abcdef@example.com/', 'ghp_'],
  ['POST /login?password=hunter2&x=1', 'hunter2'],
  ['Invalid checksum in AGE-SECRET-KEY-1QQPQYRQ8CTCZZS6EX', 'QQPQYRQ8'],
])('redacts the secret in %s', (line, secret) => {
  expect(redactSecrets(line)).not.toContain(secret)
})

test('processes a long URL quickly', () => {
  const cpuMilliseconds = cpuMillisecondsOf(() => {
    for (let round = 0; round < 20; round++) redactSecrets('a://:'.repeat(3_100))
  })
  expect(cpuMilliseconds).toBeLessThan(1_000)
})

test('leaves a line without secrets unchanged, and keeps it valid JSON', () => {
  const line = JSON.stringify({ msg: 'GET https://docs.example.com/a:b/c@d', path: '/v2/me' })
  expect(redactSecrets(line)).toBe(line)
  expect(() =>
    JSON.parse(redactSecrets(JSON.stringify({ text: 'redis://:pw@x "Basic dXNlcjpwYXNzd29yZA=="' }))),
  ).not.toThrow()
})
