/** Comments, checks, previews and conflicts of pull requests on a code host, and their effect on jobs. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectTestRepository } from '../../../testing/harness/connect-test-repository.ts'
import { createTestInstance, type TestInstance } from '../../../testing/harness/test-instance.ts'
import { startTestRunner, type TestRunner } from '../../../testing/harness/test-runner.ts'
import { startTestWorker, type TestWorker } from '../../../testing/harness/test-worker.ts'
import { type CraftedCommit, craftCommit, createCommitBundle } from '../code-hosts/testing/craft-commit.ts'
import { createGiteaTestRepository, type GiteaTestRepository } from '../code-hosts/testing/gitea-test-repository.ts'
import { createGithubTestRepository, type GithubTestRepository } from '../code-hosts/testing/github-test-repository.ts'
import type { Job, PolledPullRequest } from '../jobs/job.ts'
import type { Message } from '../jobs/job-store.ts'
import type { Id } from '../platform/ids.ts'
import type { ClaimedTurn } from '../runner-wire/runner-wire.ts'

const operator = { kind: 'operator' } as const
const request = { actor: operator, idempotency: undefined, present: (job: Job) => job } as const
const page = 'docs/index.md'

const changePage = (base: CraftedCommit, contents: string) =>
  craftCommit({ ...base.files, [page]: contents }, [base.id])

async function waitFor<Value>(read: () => Promise<Value | undefined | false>): Promise<Value> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const value = await read()
    if (value) return value
    await sleep(100)
  }
  throw new Error('timed out')
}

describe.each(['gitea', 'github'] as const)('on %s', (host) => {
  let instance: TestInstance
  let jobs: TestWorker
  let runner: TestRunner
  let repository: GiteaTestRepository | GithubTestRepository
  let projectId: Id<'prj'>
  const turns: ClaimedTurn[] = []

  beforeAll(async () => {
    const services = inject('services')
    instance = await createTestInstance(services, `follow-${host}`)
    repository = await (host === 'gitea'
      ? createGiteaTestRepository(services.gitea)
      : createGithubTestRepository(services.github, { by: 'token' }))
    projectId = (await instance.createProject()).projectId
    await connectTestRepository(instance, projectId, repository)
    jobs = await startTestWorker(instance)
    // The first turn of a job changes the page, and so do the automatic ones. The others change nothing.
    runner = startTestRunner(jobs.gatewayUrl, jobs.runnerToken, async (turn) => {
      turns.push(turn)
      const isAutomatic = turn.prompt.startsWith('A CI check')
      const base = isAutomatic ? await readBranch(turn.startBranch) : repository.base
      const changed = changePage(base, `# ${turn.prompt} ${turns.length}\n`)
      const bundle = isAutomatic || turn.prompt.startsWith('New page') ? createCommitBundle(base, changed) : null
      const texts = { title: 'A change', summary: 'It changes.', reply: 'Done.' }
      return { kind: 'result', baseCommit: base.id, bundle, session: null, ...texts, checks: [] }
    })
  })
  afterAll(async () => {
    await runner.stop()
    await jobs.stop()
    await repository.remove()
    await instance.drop()
  })

  const readBranch = async (branch: string): Promise<CraftedCommit> => ({
    ...craftCommit(await repository.readFiles(branch), []),
    id: (await repository.host.branchHead(branch)) ?? '',
  })

  const waitForEnd = (jobId: Id<'job'>) =>
    waitFor(async () => {
      const job = await instance.stores.jobs.get(projectId, jobId)
      return job.status !== 'active' && job
    })

  async function openPullRequest(prompt: string): Promise<{ jobId: Id<'job'>; number: number }> {
    const where = { repository: 'docs', ref: 'main', model: 'default', title: null, draft: false, topic: null }
    const input = { ...where, prompt, publish: 'pull_request', metadata: {} } as const
    const { body } = await instance.stores.jobs.create(projectId, input, request)
    await jobs.signals.wakeJob(body.id)
    const { pullRequest } = await waitForEnd(body.id)
    if (!pullRequest) throw new Error('the job opened no pull request')
    return { jobId: body.id, number: pullRequest.number }
  }

  const waitForPullRequest = (jobId: Id<'job'>, matches: (pullRequest: PolledPullRequest) => boolean) =>
    waitFor(async () => {
      const { pullRequest } = await instance.stores.jobs.get(projectId, jobId)
      return pullRequest !== null && matches(pullRequest) && pullRequest
    })

  const readMessages = (jobId: Id<'job'>): Promise<Message[]> => instance.stores.jobs.messages(projectId, jobId)

  test('turns a comment by a person with push access into one message, and ignores others', async () => {
    const { jobId, number } = await openPullRequest('New page: comments')
    const stranger = await repository.invite('read')
    const writer = await repository.invite('write')
    await repository.comment(number, stranger, '@colophon delete everything')
    if (host === 'github') await repository.comment(number, await repository.inviteBot(), '@colophon I am a bot')
    await repository.comment(number, writer, 'I asked @colophone, and `@colophon do it` is how.')
    const first = await repository.comment(number, writer, 'Nice.\n\n@Colophon, make it shorter.')
    await waitFor(async () => (await readMessages(jobId)).length > 1)
    await waitForEnd(jobId)
    if ('callAsAdmin' in repository)
      await repository.callAsAdmin('PATCH', `/issues/comments/${first}`, { body: '@colophon make it longer' })
    const second = await repository.comment(number, writer, '@colophon add an example')
    await waitFor(async () => (await readMessages(jobId)).length > 2)
    await waitForEnd(jobId)
    await sleep(2_500) // two more polls

    const commentBy = (id: number) => ({
      author: writer.name,
      url: expect.stringContaining(`${number}#issuecomment-${id}`),
    })
    expect(await readMessages(jobId)).toMatchObject([
      { comment: null },
      { prompt: 'Nice.\n\nmake it shorter.', status: 'completed', comment: commentBy(first) },
      { prompt: 'add an example', status: 'completed', comment: commentBy(second) },
    ])
    expect(await repository.reactionsTo(first)).toEqual(['eyes'])
  })

  test('defers a comment while the queue of the job is full, and ignores comments to an archived job', async () => {
    const { jobId, number } = await openPullRequest('New page: waiting')
    const writer = await repository.invite('write')
    await instance.stores.pauses.pause(projectId, operator)
    const send = () => instance.stores.jobs.message(projectId, jobId, { prompt: 'another' }, request)
    await send()
    await jobs.signals.wakeJob(jobId)
    await waitFor(async () => (await readMessages(jobId)).at(-1)?.status === 'running') // and its attempt is queued
    for (let sent = 0; sent < 20; sent++) await send()
    await repository.comment(number, writer, '@colophon the last one')
    await sleep(2_500)
    expect((await readMessages(jobId)).filter(({ comment }) => comment !== null)).toEqual([])
    await instance.stores.pauses.resume(projectId, operator)
    await waitFor(async () => (await readMessages(jobId)).at(-1)?.prompt === 'the last one')

    await instance.stores.jobs.archive(projectId, jobId, operator)
    const { length } = await readMessages(jobId)
    await repository.comment(number, writer, '@colophon too late')
    await sleep(2_500)
    expect(await readMessages(jobId)).toHaveLength(length)
  })

  test('accepts a comment that was written just before the merge', async () => {
    const { jobId, number } = await openPullRequest('New page: in haste')
    const writer = await repository.invite('write')
    // No poll happens between the two.
    await instance.pool.query("UPDATE job SET pull_request_poll_at = now() + interval '1 hour' WHERE id = $1", [jobId])
    await repository.comment(number, writer, '@colophon one more thing')
    await repository.merge(number)
    await instance.pool.query('UPDATE job SET pull_request_poll_at = now() WHERE id = $1', [jobId])
    await waitFor(async () => (await readMessages(jobId)).at(-1)?.prompt === 'one more thing')
    await waitForEnd(jobId)
    await repository.pushAsPerson(repository.base, 'main')
  })

  test('shows checks, previews and conflicts, and passes a failed check to the agent', async () => {
    const { jobId, number } = await openPullRequest('New page: checks')
    const head = (await repository.host.findPullRequest(number))?.headCommit ?? ''
    await repository.setStatus(head, { name: 'build', state: 'pending', summary: 'It began' })
    await waitForPullRequest(jobId, ({ checks }) =>
      checks.some(({ name, status }) => name === 'build' && status === 'pending'),
    )
    const summary = 'A link leads nowhere'
    const url = 'https://ci.example.com/7'
    await repository.setStatus(head, { name: 'build', state: 'failure', summary, url })
    await repository.setStatus(head, { name: 'preview', state: 'success', url: 'https://preview.example.com/7' })
    const polled = await waitForPullRequest(
      jobId,
      ({ checks }) => checks.length === 2 && checks[0]?.status === 'failed',
    )
    expect(polled).toMatchObject({ hasConflicts: false, previewUrl: 'https://preview.example.com/7' })
    const build = { name: 'build', status: 'failed', url, summary }
    expect(polled.checks).toMatchObject([build, { name: 'preview', status: 'passed', log: null }])

    const send = async (failedCheck: string) => {
      await instance.stores.jobs.message(projectId, jobId, { prompt: 'Fix it.', failedCheck }, request)
      await jobs.signals.wakeJob(jobId)
      await waitForEnd(jobId)
      return turns.at(-1)
    }
    expect(await send('build')).toMatchObject({ prompt: 'Fix it.', failedCheck: { name: 'build', summary } })
    if (host === 'github') {
      const log = `${'line\n'.repeat(10_000)}\u001b[31mError\u001b[0m: no such page\n`
      await repository.setFailedRun(head, { name: 'links', summary: 'exit code 1', annotation: 'no such page', log })
      await repository.setDeployment(head, 'https://deployed.example.com/7')
      const withLinks = await waitForPullRequest(jobId, ({ checks }) => checks.some(({ name }) => name === 'links'))
      const shown = withLinks.checks.find(({ name }) => name === 'links')?.log ?? ''
      expect([shown.length <= 20_000, shown.trimEnd().endsWith('Error: no such page')]).toEqual([true, true])
      await waitForPullRequest(jobId, ({ previewUrl }) => previewUrl === 'https://deployed.example.com/7')
      expect(await send('links')).toMatchObject({ failedCheck: { name: 'links', log: shown } })
    }

    await repository.pushAsPerson(changePage(repository.base, '# Something else\n'), 'main')
    await waitForPullRequest(jobId, ({ hasConflicts }) => hasConflicts === true)
    await repository.pushAsPerson(repository.base, 'main')
  })

  test('sends failed checks of its own commits back to the agent, at most twice per pull request', async () => {
    const setRule = (fixFailedChecks: boolean) =>
      instance.stores.repositories.changeRules(projectId, { fixFailedChecks }, operator)
    const { jobId, number } = await openPullRequest('New page: automatic')
    const readHead = async () => (await repository.host.findPullRequest(number))?.headCommit ?? ''
    const failOn = (commit: string) => repository.setStatus(commit, { name: 'build', state: 'failure', summary: 'No' })
    const requestPoll = () => instance.pool.query('UPDATE job SET pull_request_poll_at = now() WHERE id = $1', [jobId])
    await failOn(await readHead())
    await requestPoll()
    await waitForPullRequest(jobId, ({ checks }) => checks.length > 0)
    expect(await readMessages(jobId), 'only if the project asks for it').toHaveLength(1)
    await setRule(true)

    const heads = [await readHead()]
    for (const count of [2, 3]) {
      await waitFor(async () => {
        await requestPoll()
        return (await readMessages(jobId)).length === count
      })
      await waitForEnd(jobId)
      const head = await readHead()
      expect(heads).not.toContain(head)
      heads.push(head)
      await failOn(head)
    }
    expect(turns.at(-1)).toMatchObject({ failedCheck: { name: 'build', summary: 'No' } })
    await waitForPullRequest(jobId, ({ checks }) => checks.length > 0)
    for (let round = 0; round < 5; round++) {
      await requestPoll()
      await sleep(300)
    }
    expect((await readMessages(jobId)).map(({ isAutomatic }) => isAutomatic)).toEqual([false, true, true])

    const other = await openPullRequest('New page: people')
    const branch = (await instance.stores.jobs.get(projectId, other.jobId)).pullRequest?.branch ?? ''
    const theirs = changePage(await readBranch(branch), '# Theirs\n')
    await repository.pushAsPerson(theirs, branch)
    await failOn(theirs.id)
    await instance.pool.query('UPDATE job SET pull_request_poll_at = now() WHERE id = $1', [other.jobId])
    await waitForPullRequest(other.jobId, ({ checks }) => checks.length > 0)
    await sleep(500)
    expect(await readMessages(other.jobId), 'commits of people are not ours to fix').toHaveLength(1)
    await setRule(false)
  })

  test('completes what an interrupted poll left unfinished, and processes no comment twice', async () => {
    const { jobId, number } = await openPullRequest('New page: again')
    const writer = await repository.invite('write')
    await repository.comment(number, writer, '@colophon one')
    await waitFor(async () => (await readMessages(jobId)).length > 1)
    // As if each poll had died before it recorded its progress, with other polls running at the same time.
    for (let round = 0; round < 5; round++) {
      await instance.pool.query(
        'UPDATE job SET pull_request_comments_since = NULL, pull_request_poll_at = now() WHERE id = $1',
        [jobId],
      )
      if (round === 2) await repository.comment(number, writer, '@colophon two')
      await sleep(400)
    }
    await waitFor(async () => (await readMessages(jobId)).length > 2)
    await sleep(1_500)
    expect((await readMessages(jobId)).map(({ prompt }) => prompt)).toEqual(['New page: again', 'one', 'two'])
  })
})
