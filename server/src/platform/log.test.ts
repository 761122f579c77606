import { expect, test } from 'vitest'
import { createLog, strikeSecrets } from './log.ts'

test('secrets are struck out wherever they stand in a line', () => {
  const lines: string[] = []
  const log = createLog('api', { level: 'info' }, { write: (line: string) => void lines.push(line) })
  const key = `colophon_${'aB3'.repeat(12)}xy`
  log.error(
    { error: `connect to postgres://colophon:s3cr3t@db/colophon failed`, headers: { authorization: `Bearer ${key}` } },
    `key ${key} was refused`,
  )
  expect(lines).toHaveLength(1)
  expect(lines[0]).not.toMatch(/s3cr3t|aB3aB3/)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'error',
    process: 'api',
    msg: 'key colophon_[struck out] was refused',
  })
})

test('a line without secrets stays as it is, and stays JSON', () => {
  const line = JSON.stringify({ msg: 'GET https://docs.example.com/a:b/c@d', path: '/v2/me' })
  expect(strikeSecrets(line)).toBe(line)
  expect(() =>
    JSON.parse(strikeSecrets(JSON.stringify({ text: 'redis://:pw@x "Basic dXNlcjpwYXNzd29yZA=="' }))),
  ).not.toThrow()
})
