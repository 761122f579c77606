/** Publishing ends by its timeout although it has opened a pull request: its response was lost, and then the code host was down. */
import { createServer, request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, inject, test } from 'vitest'
import { connectTestRepository } from '../../../testing/harness/connect-test-repository.ts'
import { createTestInstance, operator } from '../../../testing/harness/test-instance.ts'
import { startTestRunner } from '../../../testing/harness/test-runner.ts'
import { startTestWorker } from '../../../testing/harness/test-worker.ts'
import { createGiteaTestRepository } from '../code-hosts/testing/gitea-test-repository.ts'
import type { Job } from '../jobs/job.ts'
import type { Id } from '../platform/ids.ts'

const services = inject('services')

/** Becomes unreachable when the first pull request is created, before its response. */
let isReachable = true
let pullRequestsCreated = 0
const proxy = createServer((incoming, response) => {
  if (!isReachable) return void incoming.socket.destroy()
  const target = new URL(incoming.url ?? '', services.gitea.url)
  const { method, headers } = incoming
  const outgoing = sendRequest(target, { method, headers }, (received) => {
    const isCreated = method === 'POST' && target.pathname.endsWith('/pulls') && received.statusCode === 201
    if (isCreated) pullRequestsCreated++
    if (isCreated && pullRequestsCreated === 1) isReachable = false
    if (!isReachable) return void incoming.socket.destroy()
    response.writeHead(received.statusCode ?? 500, received.headers)
    received.pipe(response)
  })
  outgoing.on('error', () => incoming.socket.destroy())
  incoming.pipe(outgoing)
})
await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
const { port } = proxy.address() as AddressInfo

const gitea = { ...services.gitea, url: `http://127.0.0.1:${port}` }
const instance = await createTestInstance({ ...services, gitea }, 'adopt pull request')
const repository = await createGiteaTestRepository(gitea)
const { projectId } = await instance.createProject()
await connectTestRepository(instance, projectId, repository)
const worker = await startTestWorker(instance, { COLOPHON_JOB_PUBLISH_TIMEOUT_SECONDS: '8' })
const startBranches: string[] = []
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
  proxy.close()
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

test('a message continues on the pull request that the failed turn opened', { timeout: 60_000 }, async () => {
  const defaults = { repository: 'docs', ref: 'main', model: 'default', title: null, draft: false, topic: null }
  const input = { ...defaults, prompt: 'first', publish: 'pull_request', metadata: {} } as const
  const { body } = await instance.stores.jobs.create(projectId, input, request)
  const failed = await wakeAndWait(body.id)
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'publish_timeout' }, pullRequest: null })
  expect(pullRequestsCreated).toBe(1)
  isReachable = true
  await instance.stores.jobs.message(projectId, failed.id, { prompt: 'second' }, request)
  const completed = await wakeAndWait(failed.id)
  expect(completed).toMatchObject({ outcome: 'pull_request', error: null, pullRequest: { state: 'open' } })
  expect(startBranches).toEqual(['main', completed.pullRequest?.branch])
  expect(pullRequestsCreated).toBe(1)
})
