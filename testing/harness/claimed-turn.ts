/** Creates a job whose turn is claimed, with the stores alone, without Temporal or a runner. For tests. */
import { generateKey, hashKey, type KeySecret } from '../../server/src/keys/key-format.ts'
import type { Id } from '../../server/src/platform/ids.ts'
import type { TestInstance } from './test-instance.ts'

export interface ClaimedTurn {
  jobId: Id<'job'>
  turnId: Id<'trn'>
  /** The token that the runner received. */
  attemptToken: KeySecret<'colophon_attempt_'>
}

const limits = { deadlineSeconds: 600, maxAgentFailures: 2, queueTimeoutSeconds: 600, maxConcurrentPerProject: 1000 }
const jobInput = { repository: 'docs/site', ref: 'main', title: null, draft: false, publish: 'pull_request' } as const

export async function createClaimedTurn(
  instance: TestInstance,
  projectId: Id<'prj'>,
  model: string,
): Promise<ClaimedTurn> {
  const { jobs, turns, attempts, runners } = instance.stores
  const { body: job } = await jobs.create(
    projectId,
    { ...jobInput, prompt: 'Fix it.', model, topic: null, metadata: {} },
    { actor: { kind: 'operator' }, idempotency: undefined, present: (created) => created },
  )
  const turn = await turns.takeNext(job.id)
  if (!turn) throw new Error('the job has no turn')
  await attempts.enqueue(turn.turnId, Buffer.from(turn.turnId), limits)
  const runner = await runners.create('test', hashKey(generateKey('colophon_runner_')), [projectId])
  const attemptToken = generateKey('colophon_attempt_')
  const claimed = await attempts.claim(runner, hashKey(attemptToken), limits)
  if (claimed?.turnId !== turn.turnId) throw new Error('another turn was claimed')
  return { jobId: job.id, turnId: turn.turnId, attemptToken }
}
