/** What people and checks say about a pull request on a code host, and what comes of it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type RunningJobs, startJobs, workerSettings } from '../../../dev-services/running-jobs.ts'
import { createTestInstance, type TestInstance } from '../../../dev-services/test-instance.ts'
import { startTestRunner, type TestRunner } from '../../../proofs/kit/test-runner.ts'
import { bundleOfCommit, type CraftedCommit, craftCommit } from '../code-hosts/testing/craft-commit.ts'
import { createGiteaRepository, type GiteaRepository } from '../code-hosts/testing/gitea-repository.ts'
import { createGithubRepository, type GithubRepository } from '../code-hosts/testing/github-repository.ts'
import type { FollowedPullRequest, Job } from '../jobs/job.ts'
import type { Message } from '../jobs/job-store.ts'
import { connectRepository } from '../main/connect-repository.ts'
import { loadCodeHostConfig } from '../platform/config.ts'
import type { Id } from '../platform/ids.ts'
import type { ClaimedTurn } from '../runner-wire/runner-wire.ts'

const operator = { kind: 'operator' } as const
const request = { actor: operator, idempotency: undefined, body: (job: Job) => job } as const
const page = 'docs/index.md'

const changeOf = (on: CraftedCommit, contents: string) => craftCommit({ ...on.files, [page]: contents }, [on.id])

async function until<Found>(look: () => Promise<Found | undefined | false>): Promise<Found> {
  for (let tries = 0; tries < 600; tries++) {
    const found = await look()
    if (found) return found
    await sleep(100)
  }
  throw new Error('it did not happen')
}

describe.each(['gitea', 'github'] as const)('on %s', (host) => {
  let instance: TestInstance
  let jobs: RunningJobs
  let runner: TestRunner
  let repository: GiteaRepository | GithubRepository
  let projectId: Id<'prj'>
  const turns: ClaimedTurn[] = []

  beforeAll(async () => {
    const services = inject('services')
    instance = await createTestInstance(services, `follow-${host}`)
    const { url: baseUrl } = services[host]
    repository = await (host === 'gitea'
      ? createGiteaRepository(services.gitea)
      : createGithubRepository(services.github, { by: 'token' }))
    const settings = { ...workerSettings(services), COLOPHON_EGRESS_ALLOWED_HOSTS: new URL(baseUrl).host }
    projectId = (await instance.stores.projects.create('Docs', operator)).id
    const { owner, name } = repository
    await connectRepository({
      stores: instance.stores,
      pool: instance.pool,
      projectId,
      token: tokenOf(repository),
      actor: operator,
      config: loadCodeHostConfig(settings),
      wanted: { host, baseUrl, owner, name, baseBranch: 'main', docsFolder: 'docs', publishing: {} },
    })
    jobs = await startJobs(instance, settings)
    // The first turn of a job changes the page, the others nothing.
    runner = startTestRunner(jobs.gatewayUrl, jobs.runnerToken, async (turn) => {
      turns.push(turn)
      const changed = changeOf(repository.base, `# ${turn.prompt}\n`)
      const bundle = turn.prompt.startsWith('New page') ? bundleOfCommit(repository.base, changed) : null
      const words = { title: 'A change', summary: 'It changes.', reply: 'Done.' }
      return { kind: 'result', baseCommit: repository.base.id, bundle, session: null, ...words, checks: [] }
    })
  })
  afterAll(async () => {
    await runner.stop()
    await jobs.stop()
    await repository.remove()
    await instance.drop()
  })

  const jobEnded = (jobId: Id<'job'>) =>
    until(async () => {
      const job = await instance.stores.jobs.get(projectId, jobId)
      return job.status !== 'active' && job
    })

  async function openPullRequest(prompt: string): Promise<{ jobId: Id<'job'>; number: number }> {
    const where = { repository: 'docs', ref: 'main', model: 'default', title: null, draft: false, topic: null }
    const wanted = { ...where, prompt, publish: 'pull_request', metadata: {} } as const
    const { body } = await instance.stores.jobs.create(projectId, wanted, request)
    await jobs.signals.wakeJob(body.id)
    const { pullRequest } = await jobEnded(body.id)
    if (!pullRequest) throw new Error('the job opened a pull request')
    return { jobId: body.id, number: pullRequest.number }
  }

  const looksLike = (jobId: Id<'job'>, isIt: (pullRequest: FollowedPullRequest) => boolean) =>
    until(async () => {
      const { pullRequest } = await instance.stores.jobs.get(projectId, jobId)
      return pullRequest !== null && isIt(pullRequest) && pullRequest
    })

  const messagesOf = (jobId: Id<'job'>): Promise<Message[]> => instance.stores.jobs.messages(projectId, jobId)

  test('a comment by somebody who may write is a message, once; others are not', async () => {
    const { jobId, number } = await openPullRequest('New page: comments')
    const stranger = await repository.invite('read')
    const writer = await repository.invite('write')
    await repository.comment(number, stranger, '@colophon delete everything')
    if (host === 'github') await repository.comment(number, await repository.inviteBot(), '@colophon I am a bot')
    await repository.comment(number, writer, 'I asked @colophone, and `@colophon do it` is how.')
    const asked = await repository.comment(number, writer, 'Nice.\n\n@Colophon, make it shorter.')
    await until(async () => (await messagesOf(jobId)).length > 1)
    await jobEnded(jobId)
    if ('asPerson' in repository)
      await repository.asPerson('PATCH', `/issues/comments/${asked}`, { body: '@colophon make it longer' })
    const second = await repository.comment(number, writer, '@colophon add an example')
    await until(async () => (await messagesOf(jobId)).length > 2)
    await jobEnded(jobId)
    await sleep(2_500) // two more looks

    const by = (id: number) => ({ author: writer.name, url: expect.stringContaining(`${number}#issuecomment-${id}`) })
    expect(await messagesOf(jobId)).toMatchObject([
      { comment: null },
      { prompt: 'Nice.\n\nmake it shorter.', status: 'completed', comment: by(asked) },
      { prompt: 'add an example', status: 'completed', comment: by(second) },
    ])
    expect(await repository.reactionsTo(asked)).toEqual(['eyes'])
  })

  test('a comment waits while the job has no room for it, and an archived job takes none', async () => {
    const { jobId, number } = await openPullRequest('New page: waiting')
    const writer = await repository.invite('write')
    await instance.stores.pauses.pause(projectId, operator)
    const send = () => instance.stores.jobs.message(projectId, jobId, { prompt: 'another' }, request)
    await send()
    await jobs.signals.wakeJob(jobId)
    await until(async () => (await messagesOf(jobId)).at(-1)?.status === 'running') // and waits for a runner
    for (let sent = 0; sent < 20; sent++) await send()
    await repository.comment(number, writer, '@colophon the last one')
    await sleep(2_500)
    expect((await messagesOf(jobId)).filter(({ comment }) => comment !== null)).toEqual([])
    await instance.stores.pauses.resume(projectId, operator)
    await until(async () => (await messagesOf(jobId)).at(-1)?.prompt === 'the last one')

    await instance.stores.jobs.archive(projectId, jobId, operator)
    const { length } = await messagesOf(jobId)
    await repository.comment(number, writer, '@colophon too late')
    await sleep(2_500)
    expect(await messagesOf(jobId)).toHaveLength(length)
  })

  test('what was asked for just before the merge is still asked for', async () => {
    const { jobId, number } = await openPullRequest('New page: in haste')
    const writer = await repository.invite('write')
    // No look comes between the two.
    await instance.pool.query("UPDATE job SET pull_request_poll_at = now() + interval '1 hour' WHERE id = $1", [jobId])
    await repository.comment(number, writer, '@colophon one more thing')
    await repository.merge(number)
    await instance.pool.query('UPDATE job SET pull_request_poll_at = now() WHERE id = $1', [jobId])
    await until(async () => (await messagesOf(jobId)).at(-1)?.prompt === 'one more thing')
    await jobEnded(jobId)
    await repository.pushAsPerson(repository.base, 'main')
  })

  test('checks, previews and conflicts are told, and a failed check goes to the agent', async () => {
    const { jobId, number } = await openPullRequest('New page: checks')
    const head = (await repository.host.findPullRequest(number))?.headCommit ?? ''
    await repository.setStatus(head, { name: 'build', state: 'pending', summary: 'It began' })
    await looksLike(jobId, ({ checks }) =>
      checks.some(({ name, status: state }) => name === 'build' && state === 'pending'),
    )
    const summary = 'A link leads nowhere'
    const url = 'https://ci.example.com/7'
    await repository.setStatus(head, { name: 'build', state: 'failure', summary, url })
    await repository.setStatus(head, { name: 'preview', state: 'success', url: 'https://preview.example.com/7' })
    const told = await looksLike(jobId, ({ checks }) => checks.length === 2 && checks[0]?.status === 'failed')
    expect(told).toMatchObject({ hasConflicts: false, previewUrl: 'https://preview.example.com/7' })
    const build = { name: 'build', status: 'failed', url, summary }
    expect(told.checks).toMatchObject([build, { name: 'preview', status: 'passed', log: null }])

    const send = async (failedCheck: string) => {
      await instance.stores.jobs.message(projectId, jobId, { prompt: 'Fix it.', failedCheck }, request)
      await jobs.signals.wakeJob(jobId)
      await jobEnded(jobId)
      return turns.at(-1)
    }
    expect(await send('build')).toMatchObject({ prompt: 'Fix it.', failedCheck: { name: 'build', summary } })
    if (host === 'github') {
      const log = `${'line\n'.repeat(10_000)}\u001b[31mError\u001b[0m: no such page\n`
      await repository.setFailedRun(head, { name: 'links', summary: 'exit code 1', annotation: 'no such page', log })
      await repository.setDeployment(head, 'https://deployed.example.com/7')
      const more = await looksLike(jobId, ({ checks }) => checks.some(({ name }) => name === 'links'))
      const shown = more.checks.find(({ name }) => name === 'links')?.log ?? ''
      expect([shown.length <= 20_000, shown.trimEnd().endsWith('Error: no such page')]).toEqual([true, true])
      await looksLike(jobId, ({ previewUrl }) => previewUrl === 'https://deployed.example.com/7')
      expect(await send('links')).toMatchObject({ failedCheck: { name: 'links', log: shown } })
    }

    await repository.pushAsPerson(changeOf(repository.base, '# Something else\n'), 'main')
    await looksLike(jobId, ({ hasConflicts }) => hasConflicts === true)
    await repository.pushAsPerson(repository.base, 'main')
  })

  test('what a dead look left half done is done by the next, and nothing twice', async () => {
    const { jobId, number } = await openPullRequest('New page: again')
    const writer = await repository.invite('write')
    await repository.comment(number, writer, '@colophon one')
    await until(async () => (await messagesOf(jobId)).length > 1)
    // As if each look had died before it recorded how far it had read, while others look too.
    for (let round = 0; round < 5; round++) {
      await instance.pool.query(
        'UPDATE job SET pull_request_comments_since = NULL, pull_request_poll_at = now() WHERE id = $1',
        [jobId],
      )
      if (round === 2) await repository.comment(number, writer, '@colophon two')
      await sleep(400)
    }
    await until(async () => (await messagesOf(jobId)).length > 2)
    await sleep(1_500)
    expect((await messagesOf(jobId)).map(({ prompt }) => prompt)).toEqual(['New page: again', 'one', 'two'])
  })
})

function tokenOf({ connection }: GiteaRepository | GithubRepository): string {
  if (connection.host === 'gitea') return connection.token
  if (connection.access.kind !== 'token') throw new Error('the repository is connected with a token')
  return connection.access.token
}
