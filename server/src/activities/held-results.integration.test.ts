/** Results that a person has to approve: nothing is pushed before, and only the result that was approved afterwards. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { connectTestRepository } from '../../../testing/harness/connect-test-repository.ts'
import { createTestInstance, operator, type TestInstance } from '../../../testing/harness/test-instance.ts'
import { startTestRunner, type TestRunner } from '../../../testing/harness/test-runner.ts'
import { startTestWorker, type TestWorker } from '../../../testing/harness/test-worker.ts'
import {
  type CraftedCommit,
  type CraftedFile,
  craftCommit,
  createCommitBundle,
  encodeUtf8Path,
} from '../code-hosts/testing/craft-commit.ts'
import { createGiteaTestRepository, type GiteaTestRepository } from '../code-hosts/testing/gitea-test-repository.ts'
import type { Job } from '../jobs/job.ts'
import type { Id } from '../platform/ids.ts'
import { defaultPublishingRules, type PublishingRules } from '../projects/publishing-rules.ts'
import type { ClaimedTurn } from '../runner-wire/runner-wire.ts'

let instance: TestInstance
let jobs: TestWorker
let runner: TestRunner
let repository: GiteaTestRepository
let projectId: Id<'prj'>

/** The agent's result, by prompt. */
const results: Record<string, (turn: ClaimedTurn) => { base: CraftedCommit; commit: CraftedCommit }> = {}
const claimedTurns: ClaimedTurn[] = []

beforeAll(async () => {
  const services = inject('services')
  instance = await createTestInstance(services, 'held-results')
  repository = await createGiteaTestRepository(services.gitea)
  projectId = (await instance.createProject()).projectId
  await connectTestRepository(instance, projectId, repository)
  jobs = await startTestWorker(instance)
  runner = startTestRunner(jobs.gatewayUrl, jobs.runnerToken, async (turn) => {
    claimedTurns.push(turn)
    const result = results[turn.prompt]?.(turn)
    if (!result) throw new Error(`no result for ${turn.prompt}`)
    return {
      kind: 'result',
      baseCommit: result.base.id,
      bundle: createCommitBundle(result.base, result.commit),
      session: null,
      title: 'A title',
      summary: 'A summary.',
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

const setRules = (rules: Partial<PublishingRules>) =>
  instance.stores.repositories.changeRules(projectId, { ...defaultPublishingRules, ...rules }, operator)

async function waitForEnd(jobId: Id<'job'>): Promise<Job> {
  await jobs.signals.wakeJob(jobId)
  for (;;) {
    const job = await instance.stores.jobs.get(projectId, jobId)
    if (job.status !== 'active') return job
    await sleep(50)
  }
}

const change = (files: Record<string, string>, base: CraftedCommit = repository.base) =>
  craftCommit({ ...base.files, ...files }, [base.id])

/** A job whose agent adds these files to the base branch. */
async function runJob(
  prompt: string,
  files: Record<string, string>,
  publish: 'pull_request' | 'diff' = 'pull_request',
) {
  results[prompt] = () => ({ base: repository.base, commit: change(files) })
  const job = {
    repository: 'docs',
    ref: 'main',
    model: 'default',
    title: null,
    draft: false,
    topic: null,
    metadata: {},
  }
  const { body } = await instance.stores.jobs.create(projectId, { ...job, prompt, publish }, request)
  return waitForEnd(body.id)
}

async function sendMessage(jobId: Id<'job'>, prompt: string, files: Record<string, string>) {
  results[prompt] = () => ({ base: repository.base, commit: change(files) })
  await instance.stores.jobs.message(projectId, jobId, { prompt }, request)
  return waitForEnd(jobId)
}

const digestOf = (job: Job) => job.approval?.diffSha256 ?? 'none'
const approve = (job: Job, digest = digestOf(job)) =>
  instance.stores.approvals.approve(projectId, job.id, digest, operator)
const reject = (job: Job) => instance.stores.approvals.reject(projectId, job.id, digestOf(job), operator)

const listBranches = async () =>
  ((await repository.callAsAdmin('GET', '/branches')) as { name: string }[]).map(({ name }) => name).toSorted()

const active = { 'docs/page.mdx': 'import Player from "./player"\n\n# Page\n' }
const awaiting = { status: 'completed', outcome: 'awaiting_approval', pullRequest: null }

test('holds active content, pushes nothing, and publishes exactly the approved result', async () => {
  await setRules({ activeContent: 'hold' })
  const before = await listBranches()
  const job = await runJob('active', active)
  expect(job).toMatchObject({
    ...awaiting,
    approval: {
      isDiffComplete: true,
      reasons: [{ code: 'active_content', path: 'docs/page.mdx', line: 1, message: expect.stringContaining('import') }],
      newHosts: [],
    },
  })
  expect(await listBranches()).toEqual(before)
  expect(await instance.stores.jobs.diff(projectId, job.id)).toContain('+import Player')

  await expect(approve(job, 'a'.repeat(64))).rejects.toMatchObject({ code: 'not_awaiting_approval' })
  expect(await approve(job)).toMatchObject({ status: 'active', outcome: null, approval: null })
  expect(await approve(job), 'a repeated request has no effect').toMatchObject({ status: 'active' })
  await expect(reject(job)).rejects.toMatchObject({ code: 'not_awaiting_approval' })
  const published = await waitForEnd(job.id)
  expect(published).toMatchObject({ status: 'completed', outcome: 'pull_request', approval: null })
  expect(await repository.readFiles(published.pullRequest?.branch ?? '')).toEqual({
    ...repository.base.files,
    ...active,
  })
  expect(
    claimedTurns.filter(({ prompt }) => prompt === 'active'),
    'the agent ran once',
  ).toHaveLength(1)
  const [entry] = await instance.stores.audit.list(projectId, { limit: 1, before: undefined })
  expect(entry).toMatchObject({ action: 'job.approved', subject: job.id, detail: { diffSha256: digestOf(job) } })
})

test('drops a rejected result, and the next turn starts without it', async () => {
  await setRules({ activeContent: 'hold' })
  const job = await runJob('unwanted', active)
  expect(await reject(job)).toMatchObject({
    status: 'completed',
    outcome: 'rejected',
    approval: null,
    pullRequest: null,
  })
  expect(await reject(job), 'a repeated request has no effect').toMatchObject({ outcome: 'rejected' })
  await expect(approve(job)).rejects.toMatchObject({ code: 'not_awaiting_approval' })
  expect(await instance.stores.jobs.diff(projectId, job.id)).toBeNull()

  const next = await sendMessage(job.id, 'another way', { 'docs/page.md': '# Page\n' })
  expect(next).toMatchObject({ outcome: 'pull_request' })
  expect(claimedTurns.at(-1)).toMatchObject({
    unpublishedWork: null,
    failedMessages: [{ prompt: 'unwanted', reason: expect.stringContaining('rejected') }],
  })
})

test('a message continues from the held result and replaces it', async () => {
  await setRules({ activeContent: 'hold' })
  const job = await runJob('held first', active)
  const replaced = await sendMessage(job.id, 'held second', { ...active, 'docs/more.md': '# More\n' })
  expect(claimedTurns.at(-1)?.unpublishedWork).toMatchObject({ baseCommit: repository.base.id })
  expect(replaced).toMatchObject(awaiting)
  await expect(approve(job)).rejects.toMatchObject({ code: 'not_awaiting_approval' })
  const changed = await sendMessage(job.id, 'without it', { 'docs/more.md': '# More\n' })
  expect(changed).toMatchObject({ outcome: 'pull_request', approval: null })
  await expect(approve(replaced)).rejects.toMatchObject({ code: 'not_awaiting_approval' })
})

test('never holds what a person cannot see or must not publish', async () => {
  await setRules({ activeContent: 'hold', requireApproval: true })
  const hostile = {
    'an invisible character': '# A\u202e\n',
    'a credential': `# A\n\nghp_${'aB3dE5fG7h'.repeat(4).slice(0, 36)}\n`,
    'more than is listed': Array.from({ length: 30 }, (_, index) => `export const a${index} = 1\n\n`).join(''),
  }
  for (const [name, text] of Object.entries(hostile))
    expect(await runJob(name, { 'docs/page.mdx': text }), name).toMatchObject({
      status: 'failed',
      error: { code: 'result_refused' },
    })
  expect(await runJob('a workflow', { '.github/workflows/x.yml': 'on: push\n' })).toMatchObject({ status: 'failed' })
  expect(await runJob('only a diff', active, 'diff')).toMatchObject({ status: 'failed' })
})

/** A job whose agent changes these files on a branch that has other ones already. */
async function runJobOn(before: Record<string, CraftedFile | string>, after: Record<string, CraftedFile | string>) {
  const prompt = `job ${claimedTurns.length}`
  const branch = `branch-${claimedTurns.length}`
  const base = craftCommit({ ...repository.base.files, ...before }, [repository.base.id])
  await repository.pushAsPerson(base, branch)
  results[prompt] = () => ({ base, commit: craftCommit({ ...base.files, ...after }, [base.id]) })
  const input = { repository: 'docs', ref: branch, model: 'default', title: null, draft: false, topic: null }
  const created = await instance.stores.jobs.create(
    projectId,
    { ...input, prompt, publish: 'pull_request', metadata: {} },
    request,
  )
  return await waitForEnd(created.body.id)
}

test('does not hold active content that the diff cannot show', async () => {
  await setRules({ activeContent: 'hold' })
  const notShown = { error: { code: 'result_refused', message: expect.stringContaining('(not_shown_in_diff)') } }
  const withNul = '# Page \u0000\n'
  expect(
    await runJobOn({ 'docs/page.mdx': withNul }, { 'docs/page.mdx': `${withNul}\n{evil()}\n` }),
    'a NUL character near the beginning',
  ).toMatchObject(notShown)
  const filler = 'x'.repeat(1023).concat('\n').repeat(1020)
  const files = { 'docs/a.md': filler, 'docs/b.md': filler, 'docs/zz.md': '# Z\n\n<script>evil()</script>\n' }
  expect(await runJobOn({}, { ...files, 'docs/c.md': filler }), 'the end of a diff that is cut off').toMatchObject(
    notShown,
  )
})

test('shows large pages as text, and says if a diff does not show everything', async () => {
  await setRules({ activeContent: 'hold', requireApproval: true, allowedPaths: ['examples/'] })
  const large = 'A line of a large page.\n'.repeat(50_000)
  const page = encodeUtf8Path('docs/é.md')
  const replaced = await runJobOn({ [page]: large }, { [page]: '# Small\n\n<script>x()</script>\n' })
  expect(replaced).toMatchObject({ outcome: 'awaiting_approval', approval: { isDiffComplete: true } })
  expect(await instance.stores.jobs.diff(projectId, replaced.id)).toContain('+<script>x()</script>')
  const binary = await runJobOn({}, { 'examples/a.bin': { mode: '100644', contents: Buffer.from([1, 0, 2, 0, 3]) } })
  expect(binary).toMatchObject({ outcome: 'awaiting_approval', approval: { isDiffComplete: false } })
  const image = await runJobOn({}, { 'docs/a.png': { mode: '100644', contents: Buffer.from([1, 0, 2, 0, 3]) } })
  expect(image).toMatchObject({ outcome: 'awaiting_approval', approval: { isDiffComplete: true } })
  const lateNul = Buffer.concat([Buffer.from('a line of text\n'.repeat(700)), Buffer.from([0])])
  expect(
    await runJobOn({}, { 'docs/b.png': { mode: '100644', contents: lateNul } }),
    'PostgreSQL cannot store NUL',
  ).toMatchObject({ outcome: 'awaiting_approval' })
})

test('holds every result if the project requires it, and publishes after the approval', async () => {
  await setRules({ requireApproval: true })
  const before = await listBranches()
  const files = { 'docs/plain.md': '# Plain\n\n[New](https://new.example.com/)\n' }
  const job = await runJob('plain', files)
  expect(job).toMatchObject({ ...awaiting, newHosts: [], approval: { reasons: [], newHosts: ['new.example.com'] } })
  expect(await listBranches()).toEqual(before)
  expect(await runJob('refused', active), 'active content is still refused').toMatchObject({ status: 'failed' })
  await approve(job)
  expect(await waitForEnd(job.id)).toMatchObject({ outcome: 'pull_request', newHosts: ['new.example.com'] })
  expect(await runJob('diff', files, 'diff'), 'nothing is pushed anyway').toMatchObject({ outcome: 'diff' })
})

test('an approval does not apply to what the agent does after the branch has moved', async () => {
  await setRules({})
  const opened = await runJob('opened', { 'docs/index.md': '# One\n' })
  const branch = opened.pullRequest?.branch ?? ''
  const readHead = async (): Promise<CraftedCommit> => {
    const found = await repository.host.findPullRequest(opened.pullRequest?.number ?? 0)
    return { ...change({ 'docs/index.md': '# One\n' }), id: found?.headCommit ?? '' }
  }
  await setRules({ requireApproval: true })
  const ours = await readHead()
  results.moved = () => ({ base: ours, commit: change({ 'docs/index.md': '# Ours\n' }, ours) })
  await instance.stores.jobs.message(projectId, opened.id, { prompt: 'moved' }, request)
  const held = await waitForEnd(opened.id)
  expect(held).toMatchObject({ outcome: 'awaiting_approval', pullRequest: { state: 'open' } })

  await repository.readFiles(branch) // fetches the parent of the next commit
  const theirs = change({ 'docs/index.md': '# Theirs\n' }, ours)
  await repository.pushAsPerson(theirs, branch)
  results.moved = () => ({ base: theirs, commit: change({ 'docs/index.md': '# Both\n' }, theirs) })
  await approve(held)
  const again = await waitForEnd(opened.id)
  expect(again).toMatchObject({ outcome: 'awaiting_approval' })
  expect(digestOf(again)).not.toBe(digestOf(held))
  expect((await repository.readFiles(branch))['docs/index.md']).toBe('# Theirs\n')
  await expect(approve(held)).rejects.toMatchObject({ code: 'not_awaiting_approval' })
  await approve(again)
  expect(await waitForEnd(opened.id)).toMatchObject({ outcome: 'pull_request' })
  expect((await repository.readFiles(branch))['docs/index.md']).toBe('# Both\n')
})

test('publishes to further docs folders and allowed paths', async () => {
  const files = { 'blog/post.md': '# Post\n', 'openapi.yaml': 'openapi: 3.1.0\n', 'examples/a.py': 'print(1)\n' }
  await setRules({})
  expect(await runJob('not allowed', files)).toMatchObject({ error: { code: 'result_refused' } })
  await setRules({ furtherDocsFolders: ['blog'], allowedPaths: ['openapi.yaml', 'examples/'] })
  const job = await runJob('allowed', files)
  expect(await repository.readFiles(job.pullRequest?.branch ?? '')).toEqual({ ...repository.base.files, ...files })
  const secret = `token = "ghp_${'aB3dE5fG7h'.repeat(4).slice(0, 36)}"\n`
  expect(await runJob('secret', { 'examples/b.py': secret }), 'secrets are found in every file').toMatchObject({
    error: { code: 'result_refused' },
  })
  for (const contents of [
    Buffer.concat([Buffer.from(secret), Buffer.from([0xff])]),
    Buffer.from(`${secret}${'x'.repeat(1_100_000)}`),
  ])
    expect(
      await runJobOn({}, { 'examples/c.py': { mode: '100644', contents } }),
      'also if they are not UTF-8, or large',
    ).toMatchObject({ error: { code: 'result_refused' } })
})
