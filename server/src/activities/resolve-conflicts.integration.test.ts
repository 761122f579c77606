/** Merges of the base branch into the branch of a pull request, in which the agent resolves the conflicts, on each code host. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
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

describe.each(Object.entries(hosts))('on %s', (host, create) => {
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
      unresolved_conflict: {
        'docs/index.md': `<<<<<<< ${(await readBranch(branch)).id}\n# Ours\n=======\n# Theirs\n>>>>>>> ${theirs.id}\n`,
      },
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
    onTestFinished(async () => void (await setRules(false)))
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

    await repository.close(number)
    const isClosed = async () => (await instance.stores.jobs.get(projectId, jobId)).pullRequest?.state === 'closed'
    await instance.pool.query('UPDATE job SET pull_request_poll_at = now() WHERE id = $1', [jobId])
    while (!(await isClosed())) await sleep(100)
    await expect(resolve(jobId)).rejects.toMatchObject({ code: 'invalid_request' })
  })

  /** The worker decides these in the same way on every code host, and Gitea is slow. */
  const testOnce = test.skipIf(host !== 'GitHub')

  /** A pull request that adds files to the head of the base branch. */
  async function openPullRequest(files: CraftedFiles, base: CraftedCommit) {
    result = async () => ({ base, files: { ...base.files, ...files }, mergedCommit: null })
    const where = { repository: 'docs', ref: 'main', model: 'default', title: null, draft: false, topic: null }
    const input = { ...where, prompt: 'Change it.', publish: 'pull_request', metadata: {} } as const
    const { body } = await instance.stores.jobs.create(projectId, input, request)
    const job = await waitForEnd(body.id)
    return { jobId: job.id, number: job.pullRequest?.number ?? 0, branch: job.pullRequest?.branch ?? '' }
  }

  async function pushToMain(files: CraftedFiles, parent: CraftedCommit): Promise<CraftedCommit> {
    const commit = craftCommit({ ...parent.files, ...files }, [parent.id])
    await repository.pushAsPerson(commit, 'main')
    return commit
  }

  /** The agent merges a commit of the base branch, with these files as the result. */
  async function mergeAs(jobId: Id<'job'>, branch: string, theirs: CraftedCommit, files: CraftedFiles): Promise<Job> {
    result = async () => ({ base: await readBranch(branch), files, mergedCommit: theirs.id })
    return await resolve(jobId)
  }

  const startFrom = async (files: CraftedFiles) => {
    await repository.pushAsPerson(repository.base, 'main')
    return await pushToMain(files, repository.base)
  }

  testOnce('does not take code in a page with conflicts for active content that was there before', async () => {
    const main = await startFrom({ 'docs/x.mdx': '# T\n\nOld\n' })
    const sample = "# T\n\n```js\nimport evil from '../../evil.js'\n{fetch('//evil')}\n```\n"
    const { jobId, branch } = await openPullRequest({ 'docs/x.mdx': sample }, main)
    const theirs = await pushToMain({ 'docs/x.mdx': '# T\n\nMain\n' }, main)
    const live = "import evil from '../../evil.js'\n\n# T\n\n{fetch('//evil')}\n"
    expect(await mergeAs(jobId, branch, theirs, { ...theirs.files, 'docs/x.mdx': live })).toMatchObject({
      error: { code: 'result_refused', message: expect.stringContaining('(active_content)') },
    })
  })

  testOnce('accepts honest resolutions of navigation and of pages that already have active content', async () => {
    const render = (nav: string) => `site_name: x\nnav:\n  - Home: index.md\n${nav}plugins:\n  - search\n`
    const page = (line: string) => `# T\n\n<Card title={1 + 1} />\n\n${line}\n`
    const main = await startFrom({ 'mkdocs.yml': render(''), 'docs/c.mdx': page('Old') })
    const ours = { 'mkdocs.yml': render('  - A: a.md\n'), 'docs/a.md': '# A\n', 'docs/c.mdx': page('Ours') }
    const { jobId, branch } = await openPullRequest(ours, main)
    const theirs = await pushToMain(
      { 'mkdocs.yml': render('  - B: b.md\n'), 'docs/b.md': '# B\n', 'docs/c.mdx': page('Theirs') },
      main,
    )
    const resolved = {
      ...theirs.files,
      'docs/a.md': '# A\n',
      'docs/c.mdx': page('Both'),
      'mkdocs.yml': render('  - A: a.md\n  - B: b.md\n'),
    }
    expect(await mergeAs(jobId, branch, theirs, resolved)).toMatchObject({ outcome: 'pull_request' })
    expect(await repository.readFiles(branch)).toEqual(resolved)
  })

  testOnce('a resolution in favor of the branch is a merge, too', async () => {
    const { jobId, number, branch } = await openPullRequest({ 'docs/index.md': '# Ours\n' }, await startFrom({}))
    const theirs = await pushToMain({ 'docs/index.md': '# Theirs\n' }, await readBranch('main'))
    const ours = { ...theirs.files, 'docs/index.md': '# Ours\n' }
    expect(await mergeAs(jobId, branch, theirs, ours)).toMatchObject({ outcome: 'pull_request' })
    const found = async () => (await repository.host.findPullRequest(number))?.hasConflicts
    for (let attempt = 0; attempt < 100 && (await found()) !== false; attempt++) await sleep(100)
    expect(await found()).toBe(false)
  })

  testOnce('merges although the base branch has many commits and moved while the agent worked', async () => {
    const main = await startFrom({})
    const { jobId, branch } = await openPullRequest({ 'docs/index.md': '# Ours\n' }, main)
    let tip = main
    const objects = new Map(main.objects)
    for (let index = 0; index < 60; index++) {
      tip = craftCommit({ ...tip.files, 'src/n.ts': `export const n = ${index}\n` }, [tip.id])
      for (const [id, object] of tip.objects) objects.set(id, object)
    }
    await repository.pushAsPerson({ ...tip, objects }, 'main')
    const theirs = await pushToMain({ 'docs/index.md': '# Theirs\n' }, tip)
    await pushToMain({ 'src/later.ts': 'export {}\n' }, theirs)
    const resolved = { ...theirs.files, 'docs/index.md': '# Both\n' }
    expect(await mergeAs(jobId, branch, theirs, resolved)).toMatchObject({ outcome: 'pull_request' })
  })

  testOnce('leaves conflicts outside of the docs to people, and no file at a path that git guessed', async () => {
    const guide = { 'docs/guide/a.md': '# A\nline\nline\n', 'docs/guide/b.md': '# B\nline\nline\n' }
    const main = await startFrom({ ...guide, '.github/workflows/old.yml': 'on: push\n' })
    const { jobId, branch } = await openPullRequest({ 'docs/guide/a.md': '# A\nline\nours\n' }, main)
    const isOutside = ([path]: [string, unknown]) => !path.startsWith('docs/guide/')
    const moved = Object.fromEntries(Object.entries(main.files).filter(isOutside))
    const theirs = craftCommit({ ...moved, 'src/pages/a.md': guide['docs/guide/a.md'] }, [main.id])
    await repository.pushAsPerson(theirs, 'main')
    const applied = { ...theirs.files, 'src/pages/a.md': '# A\nline\nours\n' }
    expect(await mergeAs(jobId, branch, theirs, applied), 'git applies the change to src/pages').toMatchObject({
      error: { code: 'result_refused', message: expect.stringContaining('(unresolved_conflict)') },
    })

    const person = await readBranch(branch)
    const withWorkflow = craftCommit({ ...person.files, '.github/workflows/old.yml': 'on: [push, pull_request]\n' }, [
      person.id,
    ])
    await repository.pushAsPerson(withWorkflow, branch)
    const { '.github/workflows/old.yml': _, ...withoutWorkflow } = main.files
    const deleted = craftCommit(withoutWorkflow, [main.id])
    await repository.pushAsPerson(deleted, 'main')
    const kept = { ...withoutWorkflow, 'docs/guide/a.md': '# A\nline\nours\n' }
    expect(
      await mergeAs(jobId, branch, deleted, { ...kept, '.github/workflows/old.yml': 'on: [push, pull_request]\n' }),
    ).toMatchObject({ error: { message: expect.stringContaining('(unresolved_conflict)') } })
  })

  testOnce('ignores the merged commit of a turn that was not asked to merge', async () => {
    const main = await startFrom({})
    const { jobId, branch } = await openPullRequest({ 'docs/first.md': '# First\n' }, main)
    const head = await readBranch(branch)
    for (const prompt of ['second', 'third']) {
      result = async () => {
        const base = await readBranch(branch)
        return { base, files: { ...base.files, [`docs/${prompt}.md`]: '# New\n' }, mergedCommit: head.id }
      }
      await instance.stores.jobs.message(projectId, jobId, { prompt }, request)
      expect(await waitForEnd(jobId)).toMatchObject({ outcome: 'pull_request' })
    }
    expect(await instance.stores.jobs.diff(projectId, jobId)).toContain('docs/first.md')
  })
})
