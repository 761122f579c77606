/**
 * Gitea reads branches from its database, to which it adds them after the push. If it is killed in between, git has the branch, and
 * Gitea's API says that there is none.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, expect, inject, test } from 'vitest'
import { connectTestRepository } from '../../../testing/harness/connect-test-repository.ts'
import { createTestInstance, operator } from '../../../testing/harness/test-instance.ts'
import { startTestRunner } from '../../../testing/harness/test-runner.ts'
import { startTestWorker } from '../../../testing/harness/test-worker.ts'
import { createGiteaTestRepository } from '../code-hosts/testing/gitea-test-repository.ts'
import type { Job } from '../jobs/job.ts'
import type { Id } from '../platform/ids.ts'

const services = inject('services')
const instance = await createTestInstance(services, 'branch record lost')
const repository = await createGiteaTestRepository(services.gitea)
const { projectId } = await instance.createProject()
await connectTestRepository(instance, projectId, repository)
const worker = await startTestWorker(instance)
const startBranches: string[] = []
/** Each turn writes the same page, on the head of the branch that it starts from. */
const runner = startTestRunner(worker.gatewayUrl, worker.runnerToken, async ({ prompt, startBranch }) => {
  startBranches.push(startBranch)
  const bundle = await repository.createBundleWithGit(startBranch, { 'docs/page.md': `# ${prompt}\n` })
  const [, baseCommit = ''] = /^-([0-9a-f]{40})/m.exec(bundle.toString('latin1')) ?? []
  const texts = { title: 'A page', summary: 'A page.', reply: 'Done.' }
  return { kind: 'result', baseCommit, bundle, session: null, ...texts, checks: [] }
})
afterAll(async () => {
  await runner.stop()
  await worker.stop()
  await repository.remove()
  await instance.drop()
})

const request = { actor: operator, idempotency: undefined, present: (job: Job) => job } as const

async function wakeAndWait(jobId: Id<'job'>): Promise<Job> {
  await worker.signals.wakeJob(jobId)
  for (;;) {
    const job = await instance.stores.jobs.get(projectId, jobId)
    if (job.status !== 'active') return job
    await sleep(50)
  }
}

async function deleteBranchRecord(branch: string): Promise<void> {
  const url = new URL(services.postgresUrl)
  url.pathname = '/gitea'
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  const { rowCount } = await client.query('DELETE FROM branch WHERE name = $1', [branch])
  await client.end()
  expect(rowCount).toBe(1)
}

test('a follow-up goes to the pull request whose branch Gitea does not list', { timeout: 60_000 }, async () => {
  const defaults = { repository: 'docs', ref: 'main', model: 'default', title: null, draft: false, topic: null }
  const input = { ...defaults, prompt: 'first', publish: 'pull_request', metadata: {} } as const
  const { body } = await instance.stores.jobs.create(projectId, input, request)
  const first = await wakeAndWait(body.id)
  const branch = first.pullRequest?.branch ?? ''
  await deleteBranchRecord(branch)
  await instance.stores.jobs.message(projectId, first.id, { prompt: 'second' }, request)
  const second = await wakeAndWait(first.id)
  expect(second).toMatchObject({
    outcome: 'pull_request',
    error: null,
    pullRequest: { number: first.pullRequest?.number },
  })
  expect(startBranches).toEqual(['main', branch])
})
