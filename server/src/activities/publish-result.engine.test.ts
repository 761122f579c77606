/** From a runner's bundle to a pull request on the real Gitea, and what becomes of it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createMigratedScope, type MigratedScope } from '../../../engines/migrated-scope.ts'
import { type RunningJobs, startJobs, workerSettings } from '../../../engines/running-jobs.ts'
import { startTestRunner, type TestRunner } from '../../../proofs/kit/test-runner.ts'
import { bundleOfCommit, type CraftedCommit, craftCommit } from '../code-hosts/testing/craft-commit.ts'
import { baseFiles, createGiteaRepository, type GiteaRepository } from '../code-hosts/testing/gitea-repository.ts'
import type { Job } from '../jobs/job.ts'
import { connectRepository } from '../main/connect-repository.ts'
import { loadCodeHostConfig } from '../platform/config.ts'
import type { Id } from '../platform/ids.ts'

let scope: MigratedScope
let jobs: RunningJobs
let runner: TestRunner
let repository: GiteaRepository
let projectId: Id<'prj'>
const operator = { kind: 'operator' } as const

/** What the agent leaves behind, by the prompt. */
const works: Record<string, { base: () => CraftedCommit; commit: () => CraftedCommit }> = {}

beforeAll(async () => {
  const { gitea } = inject('engines')
  scope = await createMigratedScope(inject('engines'), 'publish-result')
  repository = await createGiteaRepository(gitea)
  const settings = workerSettings({ gitea })
  projectId = (await scope.stores.projects.create('Docs', operator)).id
  const { owner, name } = repository
  const where = { host: 'gitea', baseUrl: gitea.url, owner, name, baseBranch: 'main' } as const
  await connectRepository({
    ...{ stores: scope.stores, pool: scope.pool, projectId, token: gitea.adminToken, actor: operator },
    config: loadCodeHostConfig(settings),
    wanted: { ...where, docsFolder: 'docs', publishing: {} },
  })

  jobs = await startJobs(scope, settings)
  runner = startTestRunner(jobs.gatewayUrl, jobs.runnerToken, async ({ prompt }) => {
    const work = works[prompt]
    const [base, commit] = [work?.base() ?? repository.base, work?.commit()]
    return {
      kind: 'result',
      baseCommit: base.id,
      bundle: commit ? bundleOfCommit(base, commit) : null,
      session: null,
      title: `About: ${prompt}`,
      summary: 'Closes #1, cc @admin.',
      reply: 'Done.',
      checks: [],
    }
  })
})
afterAll(async () => {
  await runner.stop()
  await jobs.stop()
  await repository.remove()
  await scope.drop()
})

const request = { actor: operator, idempotency: undefined, body: (job: Job) => job } as const

async function create(prompt: string, publish: 'pull_request' | 'diff' = 'pull_request'): Promise<Job> {
  const wanted = {
    repository: 'docs',
    ref: 'main',
    model: 'default',
    title: null,
    draft: false,
    topic: null,
    metadata: {},
  }
  const { body } = await scope.stores.jobs.create(projectId, { ...wanted, prompt, publish }, request)
  return ended(body.id)
}

async function ended(jobId: Id<'job'>): Promise<Job> {
  await jobs.signals.wakeJob(jobId)
  for (;;) {
    const job = await scope.stores.jobs.get(projectId, jobId)
    if (job.status !== 'active') return job
    await sleep(50)
  }
}

const change = (files: Record<string, string>, on: CraftedCommit = repository.base) =>
  craftCommit({ ...on.files, ...files }, [on.id])

test('a change becomes a pull request with exactly that change, and a follow-up goes to the same one', async () => {
  works.first = { base: () => repository.base, commit: () => change({ 'docs/new.md': '# New\n' }) }
  const job = await create('first')
  expect(job).toMatchObject({ status: 'completed', outcome: 'pull_request', pullRequest: { state: 'open' } })
  const branch = job.pullRequest?.branch ?? ''
  expect(await repository.filesOf(branch)).toEqual({ ...baseFiles, 'docs/new.md': '# New\n' })
  expect(await scope.stores.jobs.diff(projectId, job.id)).toContain('+# New')

  const opened = (await repository.asPerson('GET', `/pulls/${job.pullRequest?.number}`)) as {
    body: string
    head: { sha: string }
  }
  expect(opened.body).toContain('An AI agent wrote this pull request')
  expect(opened.body).not.toMatch(/(^|\s)@admin|Closes #1/)

  works.second = {
    base: () => ({ ...change({ 'docs/new.md': '# New\n' }), id: opened.head.sha }),
    commit: () =>
      change({ 'docs/new.md': '# Newer\n' }, { ...change({ 'docs/new.md': '# New\n' }), id: opened.head.sha }),
  }
  await scope.stores.jobs.message(projectId, job.id, 'second', request)
  const again = await ended(job.id)
  expect(again.pullRequest?.number).toBe(job.pullRequest?.number)
  expect((await repository.filesOf(branch))['docs/new.md']).toBe('# Newer\n')
})

test('an empty result opens nothing', async () => {
  expect(await create('nothing')).toMatchObject({ status: 'completed', outcome: 'no_changes', pullRequest: null })
})

test('with publish: diff nothing is pushed', async () => {
  works.diff = { base: () => repository.base, commit: () => change({ 'docs/diff.md': '# Diff\n' }) }
  const job = await create('diff', 'diff')
  expect(job).toMatchObject({ status: 'completed', outcome: 'diff', pullRequest: null })
  expect(await scope.stores.jobs.diff(projectId, job.id)).toContain('docs/diff.md')
})

test('a result that touches CI is refused, by name', async () => {
  works.hostile = { base: () => repository.base, commit: () => change({ '.github/workflows/x.yml': 'on: push\n' }) }
  expect(await create('hostile')).toMatchObject({
    status: 'failed',
    outcome: 'error',
    error: { code: 'result_refused', message: expect.stringContaining('.github/workflows/x.yml') },
    pullRequest: null,
  })
})

test('a merged pull request is seen as merged, and the next message opens a new one', async () => {
  works.merged = { base: () => repository.base, commit: () => change({ 'docs/merged.md': '# Merged\n' }) }
  const job = await create('merged')
  await repository.asPerson('POST', `/pulls/${job.pullRequest?.number}/merge`, { Do: 'merge' })
  const state = async () => (await scope.stores.jobs.get(projectId, job.id)).pullRequest?.state
  while ((await state()) !== 'merged') await sleep(200)
  works.after = { base: () => repository.base, commit: () => change({ 'docs/after.md': '# After\n' }) }
  await scope.stores.jobs.message(projectId, job.id, 'after', request)
  const next = await ended(job.id)
  expect(next.pullRequest?.number).not.toBe(job.pullRequest?.number)
  expect(next.pullRequest?.branch).toBe(`${job.pullRequest?.branch}-2`)
})
