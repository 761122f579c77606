/** Creates a job whose turn is claimed, with the stores alone, without Temporal or a runner. For tests. */
import { randomBytes } from 'node:crypto'
import type { ClaimingRunner, QueueingActivity } from '../../server/src/jobs/attempt-store.ts'
import { generateKey, hashKey, type KeySecret } from '../../server/src/keys/key-format.ts'
import type { Id } from '../../server/src/platform/ids.ts'
import { operator, type TestInstance } from './test-instance.ts'

export interface ClaimedTurn {
  jobId: Id<'job'>
  turnId: Id<'trn'>
  /** The token that the runner received. */
  attemptToken: KeySecret<'colophon_attempt_'>
}

export const testTurnLimits = {
  deadlineSeconds: 600,
  maxAgentFailures: 2,
  queueTimeoutSeconds: 600,
  heartbeatTimeoutSeconds: 30,
  maxConcurrentPerProject: 1000,
}

let activities = 0

/** Later than all others of this process. */
export function newQueueingActivity(): QueueingActivity {
  activities += 1
  const scheduledAt = new Date(Date.now() + activities)
  return { taskToken: randomBytes(16), scheduledAt, attempt: 1, heartbeatTimeoutMs: 300_000, traceparent: undefined }
}

export async function createClaimingRunner(
  instance: Pick<TestInstance, 'stores'>,
  projectId: Id<'prj'>,
): Promise<ClaimingRunner> {
  const runner = await instance.stores.runners.create(
    { name: 'test', tokenHash: hashKey(generateKey('colophon_runner_')), projectIds: [projectId], expiresAt: null },
    operator,
  )
  return { ...runner, processId: runner.id, canMerge: true }
}

const jobInput = { repository: 'docs/site', ref: 'main', title: null, draft: false, publish: 'pull_request' } as const

export async function createQueuedTurn(
  instance: Pick<TestInstance, 'stores'>,
  projectId: Id<'prj'>,
  model: string,
  activity = newQueueingActivity(),
): Promise<{ jobId: Id<'job'>; turnId: Id<'trn'> }> {
  const { jobs, turns, attempts } = instance.stores
  const { body: job } = await jobs.create(
    projectId,
    { ...jobInput, prompt: 'Fix it.', model, topic: null, metadata: {} },
    { actor: { kind: 'operator' }, idempotency: undefined, present: (created) => created },
  )
  const turn = await turns.takeNext(job.id)
  if (!turn) throw new Error('the job has no turn')
  await attempts.enqueue(turn.turnId, activity, testTurnLimits)
  return { jobId: job.id, turnId: turn.turnId }
}

/** The turn is claimed by a new runner, unless one is given. */
export async function createClaimedTurn(
  instance: Pick<TestInstance, 'stores'>,
  projectId: Id<'prj'>,
  model: string,
  runner?: ClaimingRunner,
): Promise<ClaimedTurn> {
  const queued = await createQueuedTurn(instance, projectId, model)
  const attemptToken = generateKey('colophon_attempt_')
  const claimed = await instance.stores.attempts.claim(
    runner ?? (await createClaimingRunner(instance, projectId)),
    hashKey(attemptToken),
    testTurnLimits,
  )
  if (claimed?.turnId !== queued.turnId) throw new Error('another turn was claimed')
  return { ...queued, attemptToken }
}
