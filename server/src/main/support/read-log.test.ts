import { expect, test } from 'vitest'
import { describeLogLine } from './read-log.ts'

const line = (fields: object) => JSON.stringify({ level: 'warn', process: 'worker', ...fields })

test('keeps IDs, numbers and the fields with closed lists of values', () => {
  const jobId = 'job_01m7ehpvk8eg2t3q9d4x5w0r7a'
  expect(
    describeLogLine(line({ jobId, attempts: 3, route: '/v2/agent/:projectId/jobs', msg: 'publishing failed' })),
  ).toEqual({
    level: 'warn',
    process: 'worker',
    jobId,
    attempts: 3,
    route: '/v2/agent/:projectId/jobs',
    msg: 'publishing failed',
  })
})

test('removes everything that could name someone', () => {
  const described = describeLogLine(
    line({
      path: '/launch-plans',
      address: '203.0.113.7',
      host: 'docs.acme.example',
      reason: 'the page launch-plans.md is missing',
      route: 'not a route',
      nested: { email: 'ada@example.com' },
      msg: 'cannot read launch-plans.md',
    }),
  )
  expect(described).toEqual({
    level: 'warn',
    process: 'worker',
    reason: 'the page […] is missing',
    msg: 'cannot read […]',
  })
})

test('masks errors and keeps their stack', () => {
  const error =
    'Error: cannot push to git.acme.example\n    at push (file:///app/server/src/activities/publish-steps.ts:5:6)'
  expect(describeLogLine(line({ error }))).toEqual({
    level: 'warn',
    process: 'worker',
    error: 'Error: cannot push to […]',
    stack: ['server/src/activities/publish-steps.ts:5:6'],
  })
})

test.each(['backup', 'restore', 'upgrade', 'support'])('keeps the lines of %s', (process) => {
  expect(describeLogLine(line({ process, msg: 'ready' }))).toMatchObject({ process, msg: 'ready' })
})

test('reads lines that a container runtime has prefixed, and no lines of other programs', () => {
  expect(describeLogLine(`worker-1  | ${line({ msg: 'ready' })}`)).toMatchObject({ msg: 'ready' })
  expect(describeLogLine('LOG:  database system is ready')).toBeUndefined()
  expect(describeLogLine('{"process":"other","msg":"x"}')).toBeUndefined()
  expect(describeLogLine('{"process":"worker"')).toBeUndefined()
})
