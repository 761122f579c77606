/** A paused project publishes nothing: no branch, no pull request. Publishing continues when it is resumed. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { createClaimingRunner, newQueueingActivity, testTurnLimits } from '../../../testing/harness/claimed-turn.ts'
import { connectTestRepository } from '../../../testing/harness/connect-test-repository.ts'
import { createTestInstance, type TestInstance } from '../../../testing/harness/test-instance.ts'
import { startTestRunner, type TestRunner } from '../../../testing/harness/test-runner.ts'
import { startTestWorker, type TestWorker } from '../../../testing/harness/test-worker.ts'
import type { CodeHost } from '../code-hosts/code-host.ts'
import { craftCommit, createCommitBundle } from '../code-hosts/testing/craft-commit.ts'
import { createGiteaTestRepository, type GiteaTestRepository } from '../code-hosts/testing/gitea-test-repository.ts'
import { AttemptStore } from '../jobs/attempt-store.ts'
import type { Job } from '../jobs/job.ts'
import { TurnStore } from '../jobs/turn-store.ts'
import type { Id } from '../platform/ids.ts'
import { createLog } from '../platform/log.ts'
import { PublishSlots } from './publish-slots.ts'
import { createResultPublisher } from './result-publisher.ts'

const operator = { kind: 'operator' } as const
const request = { actor: operator, idempotency: undefined, present: (job: Job) => job } as const
const services = inject('services')

async function connectProject(instance: TestInstance, repository: GiteaTestRepository): Promise<Id<'prj'>> {
  const { projectId } = await instance.createProject()
  await connectTestRepository(instance, projectId, repository)
  return projectId
}

async function createJob(instance: TestInstance, projectId: Id<'prj'>, prompt: string): Promise<Id<'job'>> {
  const defaults = { repository: 'docs', ref: 'main', model: 'default', title: null, draft: false, topic: null }
  const input = { ...defaults, prompt, publish: 'pull_request', metadata: {} } as const
  return (await instance.stores.jobs.create(projectId, input, request)).body.id
}

/** A bundle with one new page. */
function bundleFor({ base }: GiteaTestRepository, page: string): Buffer {
  return createCommitBundle(base, craftCommit({ ...base.files, [`docs/${page}.md`]: `# ${page}\n` }, [base.id]))
}

async function readRemote(repository: GiteaTestRepository): Promise<{ branches: string[]; pullRequests: number }> {
  const branches = (await repository.callAsAdmin('GET', '/branches')) as { name: string }[]
  const pullRequests = (await repository.callAsAdmin('GET', '/pulls?state=all&limit=50')) as unknown[]
  return {
    branches: branches.map(({ name }) => name).filter((name) => name !== 'main'),
    pullRequests: pullRequests.length,
  }
}

describe('a result that arrives when the project is paused', () => {
  let instance: TestInstance
  let jobs: TestWorker
  let runner: TestRunner
  let repository: GiteaTestRepository
  let projectId: Id<'prj'>

  beforeAll(async () => {
    instance = await createTestInstance(services, 'publish-while-paused')
    repository = await createGiteaTestRepository(services.gitea)
    projectId = await connectProject(instance, repository)
    jobs = await startTestWorker(instance)
    runner = startTestRunner(jobs.gatewayUrl, jobs.runnerToken, async ({ prompt }) => {
      await instance.stores.pauses.pause(projectId, operator)
      const texts = { title: 'A change', summary: 'It changes.', reply: 'Done.' }
      const bundle = bundleFor(repository, prompt)
      return { kind: 'result', baseCommit: repository.base.id, bundle, session: null, ...texts, checks: [] }
    })
  })
  afterAll(async () => {
    await runner.stop()
    await jobs.stop()
    await repository.remove()
    await instance.drop()
  })

  const read = (jobId: Id<'job'>) => instance.stores.jobs.get(projectId, jobId)

  async function createUnpublishedJob(prompt: string): Promise<Id<'job'>> {
    await instance.stores.pauses.resume(projectId, operator)
    const jobId = await createJob(instance, projectId, prompt)
    await jobs.signals.wakeJob(jobId)
    const hasResult = async () => {
      const query = 'SELECT FROM turn_result JOIN turn ON turn.id = turn_id WHERE job_id = $1'
      return (await instance.pool.query(query, [jobId])).rowCount === 1
    }
    while (!(await hasResult())) await sleep(50)
    await sleep(3_000) // enough time to publish it
    return jobId
  }

  async function waitForEnd(jobId: Id<'job'>): Promise<Job> {
    for (;;) {
      const job = await read(jobId)
      if (job.status !== 'active') return job
      await sleep(50)
    }
  }

  test.each([
    ['cancelled', 'cancel', { status: 'failed', outcome: 'cancelled' }],
    ['archived', 'archive', { status: 'archived' }],
  ] as const)('is never published after the job is %s', async (_, action, expected) => {
    const before = await readRemote(repository)
    const jobId = await createUnpublishedJob(action)
    expect(await readRemote(repository)).toEqual(before)
    await instance.stores.jobs[action](projectId, jobId, operator)
    await jobs.signals.stopJob(jobId)
    expect(await waitForEnd(jobId)).toMatchObject({ ...expected, pullRequest: null })
    await instance.stores.pauses.resume(projectId, operator)
    await sleep(2_000)
    expect(await readRemote(repository)).toEqual(before)
  })

  test('becomes exactly one pull request after the project is resumed', async () => {
    const before = await readRemote(repository)
    const jobId = await createUnpublishedJob('resume')
    expect(await read(jobId)).toMatchObject({ status: 'active', outcome: null, pullRequest: null })
    await jobs.signals.wakeJob(jobId)
    await sleep(1_000)
    expect(await readRemote(repository), 'not by a signal either').toEqual(before)

    await instance.stores.pauses.resume(projectId, operator)
    const job = await waitForEnd(jobId)
    expect(job).toMatchObject({ status: 'completed', outcome: 'pull_request', pullRequest: { state: 'open' } })
    expect(await readRemote(repository)).toEqual({
      branches: [...before.branches, job.pullRequest?.branch],
      pullRequests: before.pullRequests + 1,
    })
  })
})

describe('a project that is paused during publishing', () => {
  let instance: TestInstance
  let turns: TurnStore
  let attempts: AttemptStore
  let repository: GiteaTestRepository
  let projectId: Id<'prj'>

  beforeAll(async () => {
    instance = await createTestInstance(services, 'pause-during-publishing')
    const database = instance.database
    turns = new TurnStore(database)
    attempts = new AttemptStore(database)
  })
  beforeEach(async () => {
    repository = await createGiteaTestRepository(services.gitea)
    projectId = await connectProject(instance, repository)
  })
  afterEach(() => repository.remove())
  afterAll(() => instance.drop())

  const pause = () => instance.stores.pauses.pause(projectId, operator)
  const resume = () => instance.stores.pauses.resume(projectId, operator)

  /** Runs the next turn of the job up to the point where its result can be published. */
  async function runTurn(jobId: Id<'job'>, summary: string): Promise<Id<'trn'>> {
    const turn = await turns.takeNext(jobId)
    if (!turn) throw new Error('the job has no queued turn')
    const tokenHash = randomBytes(32)
    await attempts.enqueue(turn.turnId, newQueueingActivity(), testTurnLimits)
    await attempts.claim(await createClaimingRunner(instance, projectId), tokenHash, testTurnLimits)
    const bundle = bundleFor(repository, jobId)
    const texts = { title: 'A change', summary, reply: 'Done.' }
    await attempts.storeResult(tokenHash, {
      baseCommit: repository.base.id,
      mergedCommit: null,
      bundle,
      session: null,
      ...texts,
      checks: [],
    })
    return turn.turnId
  }

  /** `after`: the call to the code host after which the project is paused. */
  async function publish(turnId: Id<'trn'>, after?: 'gitRemote' | 'putCommit' | 'ensurePullRequest') {
    const host = new Proxy(repository.host, {
      get(target, name: keyof CodeHost) {
        const method = target[name].bind(target) as (...args: unknown[]) => Promise<unknown>
        if (name !== after) return method
        return async (...args: unknown[]) => {
          const response = await method(...args)
          await pause()
          return response
        }
      },
    })
    const publishResult = createResultPublisher({
      turns,
      attempts,
      pullRequests: instance.stores.pullRequests,
      async openProject() {
        const connected = await instance.stores.repositories.find(projectId)
        return connected && { repository: connected, host }
      },
      egress: repository.egress,
      slots: new PublishSlots({
        maxConcurrent: 1,
        maxConcurrentPerProject: 1,
        maxConcurrentSlow: 1,
        slowAfterMs: 60_000,
        maxWaiting: 10,
        maxWaitingPerProject: 10,
        waitTimeoutMs: 60_000,
      }),
      log: createLog('test', { level: 'error' }),
    })
    const begun = await turns.beginPublishing(turnId)
    if (begun.kind !== 'begun') return begun
    const end = await publishResult(begun.turn, new AbortController().signal)
    if (end.kind === 'paused') await turns.pausePublishing(turnId)
    if (end.kind === 'ended') await turns.finish(turnId, end.outcome)
    return end
  }

  const openedPullRequest = { kind: 'ended', outcome: { outcome: 'pull_request' } }
  const readBody = async (number: number) => (await repository.host.findPullRequest(number))?.body

  test('pushes nothing, and starts again when it is resumed', async () => {
    const jobId = await createJob(instance, projectId, 'before the commit')
    const turnId = await runTurn(jobId, 'A summary.')
    expect(await publish(turnId, 'gitRemote')).toEqual({ kind: 'paused' })
    expect(await publish(turnId)).toEqual({ kind: 'paused' })
    expect(await readRemote(repository)).toEqual({ branches: [], pullRequests: 0 })
    const [message] = await instance.stores.jobs.messages(projectId, jobId)
    expect(message).toMatchObject({ status: 'running', publishingStartedAt: null })
    await resume()
    expect(await publish(turnId)).toMatchObject(openedPullRequest)
    expect(await readRemote(repository)).toMatchObject({ pullRequests: 1 })
  })

  test('opens no pull request for a commit that is already pushed', async () => {
    const jobId = await createJob(instance, projectId, 'before the pull request')
    const turnId = await runTurn(jobId, 'A summary.')
    expect(await publish(turnId, 'putCommit')).toEqual({ kind: 'paused' })
    const branches = [expect.stringContaining(jobId)]
    expect(await readRemote(repository)).toEqual({ branches, pullRequests: 0 })
    await resume()
    expect(await publish(turnId)).toMatchObject(openedPullRequest)
    expect(await readRemote(repository)).toEqual({ branches, pullRequests: 1 })
  })

  test('finishes a cancelled turn whose commit is already pushed, after the resume', async () => {
    const jobId = await createJob(instance, projectId, 'cancelled after the push')
    const turnId = await runTurn(jobId, 'A summary.')
    expect(await publish(turnId, 'putCommit')).toEqual({ kind: 'paused' })
    await instance.stores.jobs.cancel(projectId, jobId, operator)
    expect(await publish(turnId)).toEqual({ kind: 'paused' })
    await resume()
    expect(await publish(turnId)).toMatchObject(openedPullRequest)
    const job = await instance.stores.jobs.get(projectId, jobId)
    expect(job).toMatchObject({ status: 'completed', pullRequest: { state: 'open' } })
    expect(await readRemote(repository)).toEqual({ branches: [job.pullRequest?.branch], pullRequests: 1 })
  })

  test('pushes nothing for a turn that was cancelled while its worker was unreachable', async () => {
    const jobId = await createJob(instance, projectId, 'cancelled meanwhile')
    const turnId = await runTurn(jobId, 'Never published.')
    await turns.beginPublishing(turnId) // by the unreachable worker
    await pause()
    expect(await turns.beginPublishing(turnId)).toEqual({ kind: 'paused' }) // by another worker
    await instance.stores.jobs.cancel(projectId, jobId, operator)
    await turns.fail(turnId, { code: 'cancelled', message: 'Cancelled.' })
    await resume()
    expect(await turns.recordCommit(turnId, 'colophon/x', 'a'.repeat(40))).toBe(false)
  })

  test('does not rewrite an open pull request', async () => {
    const jobId = await createJob(instance, projectId, 'before the text')
    await publish(await runTurn(jobId, 'The first summary.'))
    const number = (await instance.stores.jobs.get(projectId, jobId)).pullRequest?.number ?? 0
    await instance.stores.jobs.message(projectId, jobId, { prompt: 'follow-up' }, request)
    const turnId = await runTurn(jobId, 'The second summary.')
    expect(await publish(turnId, 'ensurePullRequest')).toEqual({ kind: 'paused' })
    expect(await readBody(number)).toContain('The first summary.')
    await resume()
    expect(await publish(turnId)).toMatchObject(openedPullRequest)
    expect(await readBody(number)).toContain('The second summary.')
    expect(await readRemote(repository)).toMatchObject({ pullRequests: 1 })
  })

  test('can cancel a turn that had started to publish', async () => {
    const jobId = await createJob(instance, projectId, 'cancelled')
    const turnId = await runTurn(jobId, 'Never published.')
    expect(await publish(turnId, 'gitRemote')).toEqual({ kind: 'paused' })
    await instance.stores.jobs.cancel(projectId, jobId, operator)
    await expect(publish(turnId)).rejects.toMatchObject({ reason: 'stop_requested' })
    await resume()
    await expect(publish(turnId)).rejects.toMatchObject({ reason: 'stop_requested' })
    expect(await readRemote(repository)).toEqual({ branches: [], pullRequests: 0 })
  })
})
