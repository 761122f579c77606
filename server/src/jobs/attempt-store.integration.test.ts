import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createClaimedTurn } from '../../../testing/harness/claimed-turn.ts'
import { createTestInstance, type TestInstance } from '../../../testing/harness/test-instance.ts'
import { generateKey, hashKey } from '../keys/key-format.ts'
import type { Id } from '../platform/ids.ts'

let instance: TestInstance
let projectId: Id<'prj'>
beforeAll(async () => {
  instance = await createTestInstance(inject('services'), 'attempt-store')
  projectId = (await instance.stores.projects.create('Docs', { kind: 'operator' })).id
})
afterAll(() => instance.drop())

const limits = { deadlineSeconds: 600, maxAgentFailures: 2, queueTimeoutSeconds: 600, maxConcurrentPerProject: 1000 }
const result = {
  baseCommit: 'a'.repeat(40),
  bundle: null,
  title: null,
  mergedCommit: null,
  summary: null,
  reply: null,
  checks: [],
  session: null,
}

test('an attempt that was replaced by another one can neither work nor report', async () => {
  const { attempts, runners } = instance.stores
  const { turnId, attemptToken } = await createClaimedTurn(instance, projectId, 'default')
  const replaced = hashKey(attemptToken)
  expect(await attempts.findLive(replaced)).toMatchObject({ turnId, number: 1 })

  await attempts.enqueue(turnId, Buffer.from('second attempt'), limits)
  const runner = await runners.create('another', hashKey(generateKey('colophon_runner_')), [projectId])
  const current = hashKey(generateKey('colophon_attempt_'))
  expect(await attempts.claim(runner, current, limits)).toMatchObject({ turnId })

  expect(await attempts.findLive(replaced)).toBeUndefined()
  expect(await attempts.storeResult(replaced, result)).toBe(false)
  expect(await attempts.findLive(current)).toMatchObject({ turnId, number: 2 })
  expect(await attempts.storeResult(current, result)).toBe(true)
})
