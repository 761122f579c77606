import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import {
  createClaimedTurn,
  createClaimingRunner,
  createQueuedTurn as createQueuedTestTurn,
  testTurnLimits as limits,
  newQueueingActivity,
} from '../../../testing/harness/claimed-turn.ts'
import { createTestInstance, type TestInstance } from '../../../testing/harness/test-instance.ts'
import { generateKey, hashKey } from '../keys/key-format.ts'
import type { Id } from '../platform/ids.ts'

let instance: TestInstance
let projectId: Id<'prj'>
beforeAll(async () => {
  instance = await createTestInstance(inject('services'), 'attempt-store')
})
beforeEach(async () => {
  projectId = (await instance.stores.projects.create('Docs', { kind: 'operator' })).id
})
afterAll(() => instance.drop())

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
  const { attempts } = instance.stores
  const { turnId, attemptToken } = await createClaimedTurn(instance, projectId, 'default')
  const replaced = hashKey(attemptToken)
  expect(await attempts.findLive(replaced)).toMatchObject({ turnId, number: 1 })

  await attempts.enqueue(turnId, newQueueingActivity(), limits)
  const runner = await createClaimingRunner(instance, projectId)
  const current = hashKey(generateKey('colophon_attempt_'))
  expect(await attempts.claim(runner, current, limits)).toMatchObject({ turnId })

  expect(await attempts.findLive(replaced)).toBeUndefined()
  expect(await attempts.storeResult(replaced, result)).toBe(false)
  expect(await attempts.findLive(current)).toMatchObject({ turnId, number: 2 })
  expect(await attempts.storeResult(current, result)).toBe(true)
})

const createQueuedTurn = async (inProject: Id<'prj'>, activity = newQueueingActivity()) =>
  (await createQueuedTestTurn(instance, inProject, 'default', activity)).turnId

const newToken = () => hashKey(generateKey('colophon_attempt_'))

/** As if the runner of the turn had been silent for longer than the heartbeat timeout. */
const silenceRunner = (turnId: string) =>
  instance.pool.query("UPDATE turn_attempt SET heard_at = now() - interval '1 minute' WHERE turn_id = $1", [turnId])

test('queues nothing for a turn that has ended', async () => {
  const { attempts, turns } = instance.stores
  const { turnId } = await createClaimedTurn(instance, projectId, 'default')
  await turns.fail(turnId, { code: 'internal_error', message: 'It failed.' })
  expect(await attempts.enqueue(turnId, newQueueingActivity(), limits)).toEqual({ kind: 'ended' })
})

test('a worker that stalled does not replace the attempt of a later activity', async () => {
  const { attempts } = instance.stores
  const zombie = newQueueingActivity()
  const { turnId, attemptToken } = await createClaimedTurn(instance, projectId, 'default')
  const later = { ...newQueueingActivity(), attempt: 2 }
  expect(await attempts.enqueue(turnId, zombie, limits)).toEqual({ kind: 'superseded' })
  expect(await attempts.findLive(hashKey(attemptToken))).toMatchObject({ turnId, number: 1 })
  expect(await attempts.enqueue(turnId, later, limits)).toEqual({ kind: 'queued', number: 2 })
  expect(await attempts.enqueue(turnId, { ...later, attempt: 1 }, limits)).toEqual({ kind: 'superseded' })
})

test('ends attempts of turns that have ended, and no others', async () => {
  const { attempts } = instance.stores
  const orphan = await createClaimedTurn(instance, projectId, 'default')
  const healthy = await createClaimedTurn(instance, projectId, 'default')
  await instance.pool.query("UPDATE turn SET status = 'failed' WHERE id = $1", [orphan.turnId])
  expect(await attempts.endOrphans(100)).toBe(1)
  expect(await attempts.endOrphans(100)).toBe(0)
  expect(await attempts.findLive(hashKey(healthy.attemptToken))).toMatchObject({ turnId: healthy.turnId })
})

test('a turn that was lost with its runner waits for an idle one, and fails after three', async () => {
  const { attempts } = instance.stores
  const busy = await createClaimingRunner(instance, projectId)
  const healthy = await createClaimedTurn(instance, projectId, 'default', busy)
  const other = await createClaimingRunner(instance, projectId)
  await createClaimedTurn(instance, projectId, 'default', other)
  const poison = await createClaimedTurn(instance, projectId, 'default')
  await silenceRunner(poison.turnId)
  await attempts.enqueue(poison.turnId, newQueueingActivity(), limits)

  expect(await attempts.claim(busy, newToken(), limits)).toBeUndefined()
  const next = await createQueuedTurn(projectId)
  // It is reserved for the busy runner, which claims nothing else until it is idle.
  expect(await attempts.claim(busy, newToken(), limits)).toBeUndefined()
  expect(await attempts.claim(other, newToken(), limits)).toMatchObject({ turnId: next })
  await attempts.endWithoutResult(hashKey(healthy.attemptToken), { countsAsFailure: false })
  expect(await attempts.claim(busy, newToken(), limits)).toMatchObject({ turnId: poison.turnId })
  await createQueuedTurn(projectId)
  expect(await attempts.claim(busy, newToken(), limits)).toBeUndefined()

  await silenceRunner(poison.turnId)
  expect(await attempts.enqueue(poison.turnId, newQueueingActivity(), limits)).toMatchObject({ kind: 'queued' })
  expect(await attempts.claim(busy, newToken(), limits)).toMatchObject({
    turnId: expect.not.stringMatching(poison.turnId),
  })
  const idle = await createClaimingRunner(instance, projectId)
  expect(await attempts.claim(idle, newToken(), limits)).toMatchObject({ turnId: poison.turnId })
  await silenceRunner(poison.turnId)
  const queueAgain = () => attempts.enqueue(poison.turnId, newQueueingActivity(), limits)
  expect(await queueAgain()).toEqual({ kind: 'unconfirmed_loss', retrySeconds: limits.heartbeatTimeoutSeconds })
  await instance.pool.query("UPDATE turn_attempt SET lost_at = lost_at - interval '1 minute' WHERE turn_id = $1", [
    poison.turnId,
  ])
  expect(await queueAgain()).toEqual({ kind: 'failed', code: 'runner_lost' })
  await attempts.recordRunnerAlive(idle.processId) // it could not send heartbeats, and the turn is not the reason
  expect(await queueAgain()).toMatchObject({ kind: 'queued' })
})

test('a runner whose heartbeats did not reach Temporal is not lost', async () => {
  const { attempts } = instance.stores
  const { turnId } = await createClaimedTurn(instance, projectId, 'default')
  for (let number = 2; number <= 5; number++) {
    expect(await attempts.enqueue(turnId, newQueueingActivity(), limits)).toEqual({ kind: 'queued', number })
    const claimed = await attempts.claim(await createClaimingRunner(instance, projectId), newToken(), limits)
    expect(claimed).toMatchObject({ turnId })
  }
})

test('a queued attempt fails when it has waited too long, unless the project is paused', async () => {
  const { attempts, pauses } = instance.stores
  const turnId = await createQueuedTurn(projectId)
  const readDue = async (changed: Partial<typeof limits> = {}) =>
    (await attempts.claimDue({ ...limits, ...changed }, 1_000)).find((attempt) => attempt.turnId === turnId)
  const impatient = { queueTimeoutSeconds: 0 }
  expect(await readDue()).toBeUndefined()
  const due = await readDue(impatient)
  if (!due) throw new Error('the attempt is not due')
  expect(due).toMatchObject({ failure: 'no_runner_available', isClaimed: false })
  await pauses.pause(projectId, { kind: 'operator' })
  expect(await readDue(impatient)).toBeUndefined()
  expect(await attempts.endQueued(due)).toBe(true)
  expect(await attempts.endQueued(due)).toBe(false)
  await pauses.resume(projectId, { kind: 'operator' })
})

test('an attempt is due when its runner is silent, when Temporal has to hear of it, and at once if an older version queued it', async () => {
  const { attempts } = instance.stores
  const { turnId } = await createClaimedTurn(instance, projectId, 'default')
  const set = (assignments: string) =>
    instance.pool.query(`UPDATE turn_attempt SET ${assignments} WHERE turn_id = $1`, [turnId])
  const readDue = async () =>
    (await attempts.claimDue(limits, 1_000)).find((attempt) => attempt.turnId === turnId)?.failure
  expect(await readDue()).toBeUndefined()
  await set("temporal_heard_at = now() - interval '101 seconds'") // a third of the timeout of its activity
  expect(await readDue()).toBeNull()
  expect(await readDue()).toBeUndefined()
  await set('temporal_heard_at = NULL, temporal_heartbeat_seconds = NULL')
  expect(await readDue()).toBeNull()
  await set("heard_at = now() - interval '31 seconds'")
  expect(await readDue()).toBe('runner_lost')
  expect(await readDue()).toBe('runner_lost') // until it is queued again
})
