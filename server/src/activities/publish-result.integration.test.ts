/** From a runner's bundle to a pull request, on each code host, and what becomes of it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type RunningJobs, startJobs, workerSettings } from '../../../dev-services/running-jobs.ts'
import type { ServiceAddresses } from '../../../dev-services/start-services.ts'
import { createTestInstance, type TestInstance } from '../../../dev-services/test-instance.ts'
import { startTestRunner, type TestRunner } from '../../../proofs/kit/test-runner.ts'
import type { CodeHostConnection } from '../code-hosts/open-code-host.ts'
import { bundleOfCommit, type CraftedCommit, craftCommit } from '../code-hosts/testing/craft-commit.ts'
import { createGiteaRepository } from '../code-hosts/testing/gitea-repository.ts'
import { createGithubRepository } from '../code-hosts/testing/github-repository.ts'
import { baseFiles, type HostRepository } from '../code-hosts/testing/host-repository.ts'
import type { Job } from '../jobs/job.ts'
import { connectRepository } from '../main/connect-repository.ts'
import { loadCodeHostConfig } from '../platform/config.ts'
import type { Id } from '../platform/ids.ts'

let instance: TestInstance
let jobs: RunningJobs
let runner: TestRunner
let repository: HostRepository
let projectId: Id<'prj'>
const operator = { kind: 'operator' } as const

const tokenOf = (connection: CodeHostConnection) => {
  if (connection.host === 'gitea') return connection.token
  return connection.access.kind === 'token' ? connection.access.token : ''
}

/** What the agent leaves behind, by the prompt. */
const works: Record<string, { base: () => CraftedCommit; commit: () => CraftedCommit }> = {}

const hosts: Record<string, (services: ServiceAddresses) => Promise<HostRepository>> = {
  Gitea: ({ gitea }) => createGiteaRepository(gitea),
  GitHub: ({ github }) => createGithubRepository(github, { by: 'token' }),
}

describe.each(Object.entries(hosts))('on %s', (_, create) => {
  beforeAll(async () => {
    const services = inject('services')
    instance = await createTestInstance(services, 'publish-result')
    repository = await create(services)
    const { connection } = repository
    const { host, baseUrl, owner, name } = connection
    const settings = { ...workerSettings(services), COLOPHON_EGRESS_ALLOWED_HOSTS: new URL(baseUrl).host }
    projectId = (await instance.stores.projects.create('Docs', operator)).id
    const where = { host, baseUrl, owner, name, baseBranch: 'main' }
    await connectRepository({
      stores: instance.stores,
      pool: instance.pool,
      projectId,
      token: tokenOf(connection),
      actor: operator,
      config: loadCodeHostConfig(settings),
      wanted: { ...where, docsFolder: 'docs', publishing: {} },
    })

    jobs = await startJobs(instance, settings)
    runner = startTestRunner(jobs.gatewayUrl, jobs.runnerToken, async ({ prompt }) => {
      const work = works[prompt]
      const base = work?.base() ?? repository.base
      const commit = work?.commit()
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
    await instance.drop()
  })

  const request = { actor: operator, idempotency: undefined, body: (job: Job) => job } as const

  async function ask(prompt: string, publish: 'pull_request' | 'diff' = 'pull_request'): Promise<Job> {
    const wanted = {
      repository: 'docs',
      ref: 'main',
      model: 'default',
      title: null,
      draft: false,
      topic: null,
      metadata: {},
    }
    const { body } = await instance.stores.jobs.create(projectId, { ...wanted, prompt, publish }, request)
    return ended(body.id)
  }

  async function ended(jobId: Id<'job'>): Promise<Job> {
    await jobs.signals.wakeJob(jobId)
    for (;;) {
      const job = await instance.stores.jobs.get(projectId, jobId)
      if (job.status !== 'active') return job
      await sleep(50)
    }
  }

  const change = (files: Record<string, string>, on: CraftedCommit = repository.base) =>
    craftCommit({ ...on.files, ...files }, [on.id])

  test('a change becomes a pull request with exactly that change, and a follow-up goes to the same one', async () => {
    works.first = { base: () => repository.base, commit: () => change({ 'docs/new.md': '# New\n' }) }
    const job = await ask('first')
    expect(job).toMatchObject({ status: 'completed', outcome: 'pull_request', pullRequest: { state: 'open' } })
    const branch = job.pullRequest?.branch ?? ''
    expect(await repository.filesOf(branch)).toEqual({ ...baseFiles, 'docs/new.md': '# New\n' })
    expect(await instance.stores.jobs.diff(projectId, job.id)).toContain('+# New')

    const opened = await repository.host.findPullRequest(job.pullRequest?.number ?? 0)
    if (!opened) throw new Error('the pull request is not there')
    expect(opened.body).toContain('An AI agent wrote this pull request')
    expect(opened.body).not.toMatch(/(^|\s)@admin|Closes #1/)

    works.second = {
      base: () => ({ ...change({ 'docs/new.md': '# New\n' }), id: opened.headCommit }),
      commit: () =>
        change({ 'docs/new.md': '# Newer\n' }, { ...change({ 'docs/new.md': '# New\n' }), id: opened.headCommit }),
    }
    await instance.stores.jobs.message(projectId, job.id, { prompt: 'second' }, request)
    const again = await ended(job.id)
    expect(again.pullRequest?.number).toBe(job.pullRequest?.number)
    expect((await repository.filesOf(branch))['docs/new.md']).toBe('# Newer\n')
  })

  test('an empty result opens nothing', async () => {
    expect(await ask('nothing')).toMatchObject({ status: 'completed', outcome: 'no_changes', pullRequest: null })
  })

  test('with publish: diff nothing is pushed', async () => {
    works.diff = { base: () => repository.base, commit: () => change({ 'docs/diff.md': '# Diff\n' }) }
    const job = await ask('diff', 'diff')
    expect(job).toMatchObject({ status: 'completed', outcome: 'diff', pullRequest: null })
    expect(await instance.stores.jobs.diff(projectId, job.id)).toContain('docs/diff.md')
  })

  test('a result that touches CI is refused, by name', async () => {
    works.hostile = { base: () => repository.base, commit: () => change({ '.github/workflows/x.yml': 'on: push\n' }) }
    expect(await ask('hostile')).toMatchObject({
      status: 'failed',
      outcome: 'error',
      error: { code: 'result_refused', message: expect.stringContaining('.github/workflows/x.yml') },
      pullRequest: null,
    })
  })

  test('a merged pull request is seen as merged, and the next message opens a new one', async () => {
    works.merged = { base: () => repository.base, commit: () => change({ 'docs/merged.md': '# Merged\n' }) }
    const job = await ask('merged')
    await repository.merge(job.pullRequest?.number ?? 0)
    const state = async () => (await instance.stores.jobs.get(projectId, job.id)).pullRequest?.state
    while ((await state()) !== 'merged') await sleep(200)
    works.after = { base: () => repository.base, commit: () => change({ 'docs/after.md': '# After\n' }) }
    await instance.stores.jobs.message(projectId, job.id, { prompt: 'after' }, request)
    const next = await ended(job.id)
    expect(next.pullRequest?.number).not.toBe(job.pullRequest?.number)
    expect(next.pullRequest?.branch).toBe(`${job.pullRequest?.branch}-2`)
  })
})
