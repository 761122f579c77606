import { expect, test } from 'vitest'
import { maskText, stackFrames } from './mask-text.ts'

test.each([
  ['connect ECONNREFUSED 10.0.0.7:5432', 'connect ECONNREFUSED […]'],
  ['Error: the disk of PostgreSQL is full', 'Error: the disk of PostgreSQL is full'],
  [
    'duplicate key value violates unique constraint "person_email_key"',
    'duplicate key value violates unique constraint […]',
  ],
  ['Key (email)=(ada@example.com) already exists.', 'Key […] already exists.'],
  ['getaddrinfo ENOTFOUND gitea.acme.internal', 'getaddrinfo ENOTFOUND […]'],
  ['no response within 2000 ms', 'no response within 2000 ms'],
  ['repository Rocketship not found: secret-plans/launch.md', 'repository […] not found: […]'],
  ['remote: Permission denied to Ada Lovelace', 'remote: […] denied to […]'],
  ["the title 'our merger' is too long", 'the title […] is too long'],
  ['token ghp_0123456789abcdefABCDEF is expired', 'token […] is expired'],
])('%s', (message, masked) => {
  expect(maskText(message)).toBe(masked)
})

test('keeps where in our code or in a package an error was thrown', () => {
  const stack = [
    'Error: secret',
    '    at claim (file:///home/ada/colophon/server/src/jobs/attempt-store.ts:12:3)',
    '    at async /home/ada/colophon/node_modules/kysely/dist/query.js:1:2',
    '    at process.processTicksAndRejections (node:internal/process/task_queues:104:5)',
    '    at /home/ada/elsewhere.js:3:4',
  ].join('\n')
  expect(stackFrames(stack)).toEqual([
    'server/src/jobs/attempt-store.ts:12:3',
    'node_modules/kysely/dist/query.js:1:2',
    'node:internal/process/task_queues:104:5',
  ])
})
