/** Merges of the base branch into the branch of a pull request, in which the agent resolves the conflicts, on each code host. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectTestRepository } from '../../../testing/harness/connect-test-repository.ts'
import { createTestInstance, operator, type TestInstance } from '../../../testing/harness/test-instance.ts'
import { startTestRunner, type TestRunner } from '../../../testing/harness/test-runner.ts'
import { startTestWorker, type TestWorker } from '../../../testing/harness/test-worker.ts'
import type { ServiceAddresses } from '../../../testing/services/start-services.ts'
import {
  type CraftedCommit,
  type CraftedFiles,
  craftCommit,
  createCommitBundle,
} from '../code-hosts/testing/craft-commit.ts'
import { createGiteaTestRepository } from '../code-hosts/testing/gitea-test-repository.ts'
import { createGithubTestRepository } from '../code-hosts/testing/github-test-repository.ts'
import { baseFiles, type HostTestRepository } from '../code-hosts/testing/host-test-repository.ts'
import type { Job } from '../jobs/job.ts'
import type { Id } from '../platform/ids.ts'
import { defaultPublishingRules } from '../projects/publishing-rules.ts'
import type { ClaimedTurn } from '../runner-wire/runner-wire.ts'

const hosts: Record<string, (services: ServiceAddresses) => Promise<HostTestRepository>> = {
  Gitea: ({ gitea }) => createGiteaTestRepository(gitea),
  GitHub: ({ github }) => createGithubTestRepository(github, { by: 'token' }),
}

interface Result {
  base: CraftedCommit
  files: CraftedFiles
  mergedCommit: string | null
}

describe.each(Object.entries(hosts))('on %s', (_, create) => {
  let instance: TestInstance
  let jobs: TestWorker
  let runner: TestRunner
  let repository: HostTestRepository
  let projectId: Id<'prj'>
  /** What the agent does in the next turns. */
  let result: () => Promise<Result>
  const turns: ClaimedTurn[] = []

  beforeAll(async () => {
    const services = inject('services')
    instance = await createTestInstance(services, 'resolve-conflicts')
    repository = await create(services)
    projectId = (await instance.createProject()).projectId
    await connectTestRepository(instance, projectId, repository)
    jobs = await startTestWorker(instance)
    runner = startTestRunner(jobs.gatewayUrl, jobs.runnerToken, async (turn) => {
      turns.push(turn)
      const { base, files, mergedCommit } = await result()
      const bundle = createCommitBundle(base, craftCommit(files, [base.id]))
      const texts = { title: 'A change', summary: 'It changes.', reply: 'Done.' }
      return { kind: 'result', baseCommit: base.id, mergedCommit, bundle, session: null, ...texts, checks: [] }
    })
  })
  afterAll(async () => {
    await runner.stop()
    await jobs.stop()
    await repository.remove()
    await instance.drop()
  })

  const request = { actor: operator, idempotency: undefined, present: (job: Job) => job } as const

  async function waitForEnd(jobId: Id<'job'>): Promise<Job> {
    await jobs.signals.wakeJob(jobId)
    for (;;) {
      const job = await instance.stores.jobs.get(projectId, jobId)
      if (job.status !== 'active') return job
      await sleep(50)
    }
  }

  const readBranch = async (branch: string): Promise<CraftedCommit> => ({
    ...craftCommit(await repository.readFiles(branch), []),
    id: (await repository.host.branchHead(branch)) ?? '',
  })

  /** A pull request, and a change of the base branch that conflicts with it. */
  async function createConflict() {
    await repository.pushAsPerson(repository.base, 'main')
    result = async () => ({
      base: repository.base,
      files: { ...baseFiles, 'docs/index.md': '# Ours\n' },
      mergedCommit: null,
    })
    const where = { repository: 'docs', ref: 'main', model: 'default', title: null, draft: false, topic: null }
    const input = { ...where, prompt: 'Change it.', publish: 'pull_request', metadata: {} } as const
    const { body } = await instance.stores.jobs.create(projectId, input, request)
    const job = await waitForEnd(body.id)
    const branch = job.pullRequest?.branch ?? ''
    const theirs = craftCommit(
      {
        ...baseFiles,
        'docs/index.md': '# Theirs\n',
        'src/main.ts': 'export const a = 1\n',
        'src/new.ts': 'export {}\n',
      },
      [repository.base.id],
    )
    await repository.pushAsPerson(theirs, 'main')
    return { jobId: job.id, number: job.pullRequest?.number ?? 0, branch, theirs }
  }

  async function resolve(jobId: Id<'job'>): Promise<Job> {
    const message = { prompt: 'Resolve the conflicts.', resolveConflicts: true }
    await instance.stores.jobs.message(projectId, jobId, message, request)
    return waitForEnd(jobId)
  }

  test('publishes the resolution as a merge commit, and nothing but docs may differ from what git merges', async () => {
    const { jobId, number, branch, theirs } = await createConflict()
    const resolved = { ...theirs.files, 'docs/index.md': '# Theirs and ours\n' }
    const ours = await readBranch(branch)
    result = async () => ({ base: await readBranch(branch), files: resolved, mergedCommit: theirs.id })
    const job = await resolve(jobId)
    expect(job).toMatchObject({ status: 'completed', outcome: 'pull_request', pullRequest: { number } })
    expect(turns.at(-1)).toMatchObject({ startBranch: branch, mergeBranch: 'main' })
    expect(await repository.readFiles(branch)).toEqual(resolved)
    const [head = ''] = await repository.readLog(branch)
    expect(await repository.readCommit(head)).toContain(`parent ${ours.id}\nparent ${theirs.id}\n`)
    const diff = await instance.stores.jobs.diff(projectId, jobId)
    expect(diff, 'only what the pull request changes').toContain('+# Theirs and ours')
    expect(diff).not.toContain('src/main.ts')
    const found = async () => (await repository.host.findPullRequest(number))?.hasConflicts
    for (let attempt = 0; attempt < 100 && (await found()) !== false; attempt++) await sleep(100)
    expect(await found()).toBe(false)

    const next = await readBranch(branch)
    result = async () => ({
      base: next,
      files: { ...resolved, 'docs/index.md': '# Shorter\n' },
      mergedCommit: null,
    })
    await instance.stores.jobs.message(projectId, jobId, { prompt: 'Shorter.' }, request)
    await waitForEnd(jobId)
    expect(await instance.stores.jobs.diff(projectId, jobId), 'since the merge').not.toContain('src/main.ts')
  })

  test('refuses conflict markers, changes outside of the docs, and active content', async () => {
    const { jobId, branch, theirs } = await createConflict()
    const hostile = {
      unresolved_conflict: { 'docs/index.md': '<<<<<<< ours\n# Ours\n=======\n# Theirs\n>>>>>>> theirs\n' },
      outside_docs_folder: { 'docs/index.md': '# Both\n', 'src/main.ts': 'export const a = 2\n' },
      active_content: { 'docs/index.md': '# Both\n\n<script>x()</script>\n' },
    }
    const before = await repository.host.branchHead(branch)
    for (const [code, files] of Object.entries(hostile)) {
      result = async () => ({
        base: await readBranch(branch),
        files: { ...theirs.files, ...files },
        mergedCommit: theirs.id,
      })
      expect(await resolve(jobId), code).toMatchObject({
        error: { code: 'result_refused', message: expect.stringContaining(`(${code})`) },
      })
    }
    // A commit that is not on the base branch would bring everything in it into the pull request.
    const foreign = craftCommit({ ...theirs.files, 'src/main.ts': 'evil()\n' }, [repository.base.id])
    await repository.pushAsPerson(foreign, 'foreign')
    result = async () => ({ base: await readBranch(branch), files: foreign.files, mergedCommit: foreign.id })
    expect(await resolve(jobId)).toMatchObject({ error: { code: 'branch_moved' } })
    // A turn that was not asked to merge cannot.
    result = async () => ({ base: await readBranch(branch), files: theirs.files, mergedCommit: theirs.id })
    await instance.stores.jobs.message(projectId, jobId, { prompt: 'Something else.' }, request)
    expect(await waitForEnd(jobId)).toMatchObject({ error: { code: 'result_refused' } })
    expect(await repository.host.branchHead(branch)).toBe(before)
  })

  test('shows for approval only what the agent changed, and rejects a message without an open pull request', async () => {
    const { jobId, number, branch, theirs } = await createConflict()
    const setRules = (requireApproval: boolean) =>
      instance.stores.repositories.changeRules(projectId, { ...defaultPublishingRules, requireApproval }, operator)
    await setRules(true)
    const resolved = { ...theirs.files, 'docs/index.md': '# Both\n' }
    result = async () => ({ base: await readBranch(branch), files: resolved, mergedCommit: theirs.id })
    const held = await resolve(jobId)
    expect(held).toMatchObject({ outcome: 'awaiting_approval' })
    const diff = await instance.stores.jobs.diff(projectId, jobId)
    expect(diff).toContain('+# Both')
    expect(diff).not.toContain('src/main.ts')
    await instance.stores.approvals.approve(projectId, jobId, held.approval?.diffSha256 ?? '', operator)
    expect(await waitForEnd(jobId)).toMatchObject({ outcome: 'pull_request' })
    expect(await repository.readFiles(branch)).toEqual(resolved)
    await setRules(false)

    await repository.close(number)
    const isClosed = async () => (await instance.stores.jobs.get(projectId, jobId)).pullRequest?.state === 'closed'
    await instance.pool.query('UPDATE job SET pull_request_poll_at = now() WHERE id = $1', [jobId])
    while (!(await isClosed())) await sleep(100)
    await expect(resolve(jobId)).rejects.toMatchObject({ code: 'invalid_request' })
  })
})
