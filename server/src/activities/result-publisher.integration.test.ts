/** From a runner's bundle to a pull request and its merge, on each code host. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectTestRepository } from '../../../testing/harness/connect-test-repository.ts'
import { createTestInstance, type TestInstance } from '../../../testing/harness/test-instance.ts'
import { startTestRunner, type TestRunner } from '../../../testing/harness/test-runner.ts'
import { startTestWorker, type TestWorker } from '../../../testing/harness/test-worker.ts'
import type { ServiceAddresses } from '../../../testing/services/start-services.ts'
import { type CraftedCommit, craftCommit, createCommitBundle } from '../code-hosts/testing/craft-commit.ts'
import { createGiteaTestRepository } from '../code-hosts/testing/gitea-test-repository.ts'
import { createGithubTestRepository } from '../code-hosts/testing/github-test-repository.ts'
import { baseFiles, type HostTestRepository } from '../code-hosts/testing/host-test-repository.ts'
import type { Job } from '../jobs/job.ts'
import type { Id } from '../platform/ids.ts'

let instance: TestInstance
let jobs: TestWorker
let runner: TestRunner
let repository: HostTestRepository
let projectId: Id<'prj'>
const operator = { kind: 'operator' } as const

/** The agent's result, by prompt. */
const results: Record<string, { base: () => CraftedCommit; commit: () => CraftedCommit }> = {}

const hosts: Record<string, (services: ServiceAddresses) => Promise<HostTestRepository>> = {
  Gitea: ({ gitea }) => createGiteaTestRepository(gitea),
  GitHub: ({ github }) => createGithubTestRepository(github, { by: 'token' }),
}

describe.each(Object.entries(hosts))('on %s', (_, create) => {
  beforeAll(async () => {
    const services = inject('services')
    instance = await createTestInstance(services, 'publish-result')
    repository = await create(services)
    projectId = (await instance.createProject()).projectId
    await connectTestRepository(instance, projectId, repository)
    jobs = await startTestWorker(instance)
    runner = startTestRunner(jobs.gatewayUrl, jobs.runnerToken, async ({ prompt }) => {
      const result = results[prompt]
      const base = result?.base() ?? repository.base
      const commit = result?.commit()
      return {
        kind: 'result',
        baseCommit: base.id,
        bundle: commit ? createCommitBundle(base, commit) : null,
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
    await instance.drop()
  })

  const request = { actor: operator, idempotency: undefined, present: (job: Job) => job } as const

  async function runJob(prompt: string, publish: 'pull_request' | 'diff' = 'pull_request'): Promise<Job> {
    const defaults = {
      repository: 'docs',
      ref: 'main',
      model: 'default',
      title: null,
      draft: false,
      topic: null,
      metadata: {},
    }
    const { body } = await instance.stores.jobs.create(projectId, { ...defaults, prompt, publish }, request)
    return wakeAndWait(body.id)
  }

  async function wakeAndWait(jobId: Id<'job'>): Promise<Job> {
    await jobs.signals.wakeJob(jobId)
    for (;;) {
      const job = await instance.stores.jobs.get(projectId, jobId)
      if (job.status !== 'active') return job
      await sleep(50)
    }
  }

  const change = (files: Record<string, string>, base: CraftedCommit = repository.base) =>
    craftCommit({ ...base.files, ...files }, [base.id])

  test('opens a pull request with exactly the change, and adds a follow-up to it', async () => {
    results.first = { base: () => repository.base, commit: () => change({ 'docs/new.md': '# New\n' }) }
    const job = await runJob('first')
    expect(job).toMatchObject({ status: 'completed', outcome: 'pull_request', pullRequest: { state: 'open' } })
    const branch = job.pullRequest?.branch ?? ''
    expect(await repository.readFiles(branch)).toEqual({ ...baseFiles, 'docs/new.md': '# New\n' })
    expect(await instance.stores.jobs.diff(projectId, job.id)).toContain('+# New')

    const opened = await repository.host.findPullRequest(job.pullRequest?.number ?? 0)
    if (!opened) throw new Error('the pull request does not exist')
    expect(opened.body).toContain('An AI agent wrote this pull request')
    expect(opened.body).not.toMatch(/(^|\s)@admin|Closes #1/)

    results.second = {
      base: () => ({ ...change({ 'docs/new.md': '# New\n' }), id: opened.headCommit }),
      commit: () =>
        change({ 'docs/new.md': '# Newer\n' }, { ...change({ 'docs/new.md': '# New\n' }), id: opened.headCommit }),
    }
    await instance.stores.jobs.message(projectId, job.id, { prompt: 'second' }, request)
    const followedUp = await wakeAndWait(job.id)
    expect(followedUp.pullRequest?.number).toBe(job.pullRequest?.number)
    expect((await repository.readFiles(branch))['docs/new.md']).toBe('# Newer\n')
  })

  test('opens no pull request for an empty result', async () => {
    expect(await runJob('nothing')).toMatchObject({ status: 'completed', outcome: 'no_changes', pullRequest: null })
  })

  test('pushes nothing with publish: diff', async () => {
    results.diff = { base: () => repository.base, commit: () => change({ 'docs/diff.md': '# Diff\n' }) }
    const job = await runJob('diff', 'diff')
    expect(job).toMatchObject({ status: 'completed', outcome: 'diff', pullRequest: null })
    expect(await instance.stores.jobs.diff(projectId, job.id)).toContain('docs/diff.md')
  })

  test('refuses a result that changes CI files, and names the file', async () => {
    results.hostile = { base: () => repository.base, commit: () => change({ '.github/workflows/x.yml': 'on: push\n' }) }
    expect(await runJob('hostile')).toMatchObject({
      status: 'failed',
      outcome: 'error',
      error: {
        code: 'result_refused',
        message: expect.stringContaining('.github/workflows/x.yml: CI configuration must not be changed (ci_file)'),
      },
      pullRequest: null,
    })
  })

  test('notices a merge, and opens a new pull request for the next message', async () => {
    results.merged = { base: () => repository.base, commit: () => change({ 'docs/merged.md': '# Merged\n' }) }
    const job = await runJob('merged')
    await repository.merge(job.pullRequest?.number ?? 0)
    const state = async () => (await instance.stores.jobs.get(projectId, job.id)).pullRequest?.state
    while ((await state()) !== 'merged') await sleep(200)
    results.after = { base: () => repository.base, commit: () => change({ 'docs/after.md': '# After\n' }) }
    await instance.stores.jobs.message(projectId, job.id, { prompt: 'after' }, request)
    const next = await wakeAndWait(job.id)
    expect(next.pullRequest?.number).not.toBe(job.pullRequest?.number)
    expect(next.pullRequest?.branch).toBe(`${job.pullRequest?.branch}-2`)
  })
})
