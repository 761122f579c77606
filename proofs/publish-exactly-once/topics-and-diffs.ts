/** Options of creating a job besides the prompt: `topic` and `publish: diff`. */
import { listJobBranches, listJobPullRequests } from '../../testing/harness/hosts/host-user-client.ts'
import { diffOfNewFiles, stripObjectIds } from '../../testing/harness/hosts/new-files-diff.ts'
import { createScript, type ScenarioContext } from './fixture.ts'
import { checkPullRequest } from './pull-requests.ts'

export async function oneJobPerTopicScenario(context: ScenarioContext): Promise<string> {
  const { check, docs, agent } = context
  const jobs = await context.watchJobs(docs)
  const topic = `release notes ${createScript(docs).page}`
  const first = createScript(docs)
  const second = createScript(docs)
  const third = createScript(docs)
  const held = agent.pauseNext(first.prompt, 'claimed')
  const { id } = await jobs.createAccepted(first.prompt, { topic })
  await held.reached

  const checkCreateIsMessage = async (prompt: string) => {
    const { status, job, headers } = await jobs.create(prompt, { topic })
    check(
      status === 200 && job.id === id,
      `creating a job for an open topic adds a message to job ${id} with 200, got ${status}, ${job.id}`,
    )
    check(
      headers.get('ratelimit')?.startsWith('"messages"') ?? false,
      `it counts against the messages rate limit, got ${headers.get('ratelimit')}`,
    )
    check(headers.get('location')?.endsWith(id) ?? false, 'the Location header names the job')
  }
  await checkCreateIsMessage(second.prompt)
  check((await jobs.get(id)).queuedMessages === 1, 'the message is queued')
  held.release()
  const job = await jobs.waitUntilEnded(id)
  await checkPullRequest(context, jobs, job, { files: { ...first.write, ...second.write }, commits: 2 })
  await checkCreateIsMessage(third.prompt)
  const files = { ...first.write, ...second.write, ...third.write }
  await checkPullRequest(context, jobs, await jobs.waitUntilEnded(id), { files, commits: 3 })

  await docs.person.merge(job.pullRequest?.number ?? 0)
  await jobs.waitUntil(id, 'the pull request is merged', ({ pullRequest }) => pullRequest?.state === 'merged')
  const prompts = [createScript(docs), createScript(docs), createScript(docs)].map(({ prompt }) => prompt)
  const responses = await Promise.all(prompts.map((prompt) => jobs.create(prompt, { topic })))
  const statuses = responses.map(({ status }) => status).sort()
  const ids = new Set(responses.map((response) => response.job.id))
  check(
    statuses.join() === '200,200,201' && ids.size === 1,
    `after the merge three concurrent creates make one new job, got ${statuses}, ${ids.size} jobs`,
  )
  const [newId = ''] = ids
  check(newId !== id, 'the job after the merge is a new one')

  // The old job still takes messages. Its new pull request must not affect the new job.
  const late = createScript(docs)
  await jobs.followUp(id, late.prompt)
  await checkPullRequest(context, jobs, await jobs.waitUntilEnded(id), {
    files: late.write,
    commits: 1,
    pullRequests: 2,
  })
  await jobs.waitUntilEnded(newId)
  const { status, job: next } = await jobs.create(createScript(docs).prompt, { topic })
  check(status === 200 && next.id === newId, 'the topic stays with the newest job')
  await jobs.waitUntilEnded(newId)

  await jobs.archive(id)
  await jobs.archive(newId)
  const created = await jobs.create(createScript(docs).prompt, { topic })
  check(created.status === 201, `after archiving, the topic creates a new job with 201, got ${created.status}`)
  await jobs.waitUntilEnded(created.job.id)
  return 'a second create is a message; after a merge or archive it is a new job'
}

export async function publishAsDiffScenario(context: ScenarioContext): Promise<string> {
  const { check, docs } = context
  const jobs = await context.watchJobs(docs)
  const first = createScript(docs)
  const second = createScript(docs)
  const { id } = await jobs.createAccepted(first.prompt, { publish: 'diff' })
  const checkDiff = async (files: Record<string, string>) => {
    const job = await jobs.waitUntilEnded(id)
    check(
      job.status === 'completed' && job.outcome === 'diff',
      `the job is completed with a diff, got ${job.status}, ${job.outcome}`,
    )
    check(job.prLink === null && job.pullRequest === null, 'the job has no pull request')
    const diff = stripObjectIds((await jobs.diff(id)) ?? '')
    check(diff === diffOfNewFiles(files), `the diff has all changes of the job, got ${diff}`)
  }
  await checkDiff(first.write)

  // The base moves in between: the next turn still starts from the accepted result.
  await docs.person.push('main', createScript(docs).page, 'A person was here.\n')
  await jobs.followUp(id, second.prompt)
  await checkDiff({ ...first.write, ...second.write })
  const rewritten = { [first.page]: 'Shorter.\n' }
  await jobs.followUp(id, createScript(docs, { write: rewritten }).prompt)
  await checkDiff({ ...rewritten, ...second.write })

  await jobs.followUp(id, createScript(docs, { write: {} }).prompt)
  const unchanged = await jobs.waitUntilEnded(id)
  check(unchanged.outcome === 'no_changes', `a turn without changes ends with no_changes, got ${unchanged.outcome}`)
  check(
    stripObjectIds((await jobs.diff(id)) ?? '').includes('Shorter.'),
    'the diff is kept after a turn without changes',
  )

  const page = 'docs/guide/start.md'
  const before = await docs.person.read(page, 'main')
  const other = await jobs.createAccepted(createScript(docs, { write: { [page]: 'Rewritten.\n' } }).prompt, {
    publish: 'diff',
  })
  await jobs.waitUntilEnded(other.id)
  check((await jobs.diff(other.id))?.includes('+Rewritten.') ?? false, 'the diff has the rewritten page')
  await jobs.followUp(other.id, createScript(docs, { write: { [page]: before } }).prompt)
  const reverted = await jobs.waitUntilEnded(other.id)
  check(reverted.outcome === 'no_changes', `reverting all changes ends with no_changes, got ${reverted.outcome}`)
  check((await jobs.diff(other.id)) === null, 'the job has no diff after the revert')

  check((await listJobBranches(docs.person, id)).length === 0, 'the host has no branch of the job')
  check((await listJobPullRequests(docs.person, id)).length === 0, 'the host has no pull request of the job')
  return 'nothing pushed, each turn builds on the previous one'
}
