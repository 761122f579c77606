/** From creating a job to its pull request, and the effect of follow-ups on it. */

import { listJobBranches, listJobPullRequests } from '../../testing/harness/hosts/host-user-client.ts'
import { diffOfNewFiles, stripObjectIds } from '../../testing/harness/hosts/new-files-diff.ts'
import type { AgentJob, CheckingJobsClient } from '../judges/checking-jobs-client.ts'
import { createScript, type ScenarioContext } from './fixture.ts'

export interface ExpectedPullRequest {
  /** The new files. */
  files: Record<string, string>
  /** The number of commits, all of them by Colophon. */
  commits: number
  /** The number of pull requests of the job; only the last is open. */
  pullRequests?: number
  status?: 'completed' | 'archived'
  outcome?: 'pull_request' | 'no_changes'
}

/** Checks that the job has exactly one open pull request, with exactly these new files and this number of Colophon's commits. */
export async function checkPullRequest(
  { check, docs }: Pick<ScenarioContext, 'check' | 'docs'>,
  jobs: CheckingJobsClient,
  job: AgentJob,
  {
    files,
    commits: expectedCommits,
    pullRequests = 1,
    status = 'completed',
    outcome = 'pull_request',
  }: ExpectedPullRequest,
): Promise<void> {
  const { person } = docs
  check(job.status === status, `the job is ${status}, got ${job.status} ${JSON.stringify(job.error)}`)
  check(job.outcome === outcome, `the outcome is ${outcome}, got ${job.outcome}`)
  const all = await listJobPullRequests(person, job.id)
  check(all.length === pullRequests, `the host has ${pullRequests} pull requests of the job, got ${all.length}`)
  const last = all.at(-1)
  if (!last) return
  check(
    job.prLink === last.url && job.pullRequest?.number === last.number,
    `prLink is the last pull request ${last.url}, got ${job.prLink}`,
  )
  check(last.state === 'open' && job.pullRequest?.state === 'open', 'the last pull request is open')
  const diff = stripObjectIds(await person.pullRequestDiff(last.number))
  check(diff === diffOfNewFiles(files), `the diff on the host has exactly the expected files, got ${diff}`)
  const jobDiff = stripObjectIds((await jobs.diff(job.id)) ?? '')
  check(jobDiff === diff, `the API returns the same diff, got ${jobDiff}`)
  const commits = await person.pullRequestCommits(last.number)
  check(commits.length === expectedCommits, `the pull request has ${expectedCommits} commits, got ${commits.length}`)
  check(
    commits.every(({ isByColophon }) => isByColophon),
    'all commits are by Colophon',
  )
}

export async function followUpsScenario(context: ScenarioContext): Promise<string> {
  const { check, docs } = context
  const { person } = docs
  const jobs = await context.watchJobs(docs)
  const first = createScript(docs, { title: 'Explain the proxy' })
  const { id } = await jobs.createAccepted(first.prompt)
  const created = await jobs.waitUntilEnded(id)
  await checkPullRequest(context, jobs, created, { files: first.write, commits: 1 })
  check(jobs.history(id) === 'active → completed', `the status history is active → completed, got ${jobs.history(id)}`)
  const number = created.pullRequest?.number ?? 0
  const opened = await person.pullRequest(number)
  check(opened.title === 'Explain the proxy', `the title is the agent's, got ${opened.title}`)
  check(opened.body.includes(first.summary), `the body contains the agent's summary, got ${opened.body}`)
  check(
    opened.body.includes(`An AI agent wrote this pull request: Colophon, job \`${id}\``),
    'the body names Colophon and the job as the author',
  )
  check(created.reply === 'Done.' && created.usage.costUsd === 0, "the job has the agent's reply and a cost of 0")

  const second = createScript(docs, { title: 'Something else' })
  await jobs.followUp(id, second.prompt)
  const files = { ...first.write, ...second.write }
  const followed = await jobs.waitUntilEnded(id)
  await checkPullRequest(context, jobs, followed, { files, commits: 2 })
  const rewritten = await person.pullRequest(number)
  check(rewritten.title === opened.title, `a follow-up keeps the title, got ${rewritten.title}`)
  check(
    rewritten.body.includes(second.summary) && !rewritten.body.includes(first.summary),
    'a follow-up replaces the summary in the body',
  )

  await person.editText(number, { title: 'Edited title', body: 'Edited body.' })
  const third = createScript(docs)
  await jobs.followUp(id, third.prompt)
  await checkPullRequest(context, jobs, await jobs.waitUntilEnded(id), {
    files: { ...files, ...third.write },
    commits: 3,
  })
  const kept = await person.pullRequest(number)
  check(
    kept.title === 'Edited title' && kept.body === 'Edited body.',
    `a title and body edited by a person are kept, got ${kept.title}`,
  )

  await jobs.followUp(id, createScript(docs, { write: {} }).prompt)
  const unchanged = await jobs.waitUntilEnded(id)
  check(unchanged.prLink === kept.url, 'after a follow-up without changes prLink stays the latest pull request')
  const same = { files: { ...files, ...third.write }, commits: 3, outcome: 'no_changes' } as const
  await checkPullRequest(context, jobs, unchanged, same)
  return "same pull request: title kept, body rewritten, a person's edits kept"
}

export async function emptyResultScenario(context: ScenarioContext): Promise<string> {
  const { check, docs } = context
  const jobs = await context.watchJobs(docs)
  const { id } = await jobs.createAccepted(createScript(docs, { write: {} }).prompt)
  const job = await jobs.waitUntilEnded(id)
  check(
    job.status === 'completed' && job.outcome === 'no_changes',
    `the job is completed with no_changes, got ${job.status}, ${job.outcome}`,
  )
  check(job.prLink === null && job.pullRequest === null, 'prLink is null')
  check((await jobs.diff(id)) === null, 'the job has no diff')
  await jobs.followUp(id, createScript(docs, { write: { 'docs/guide/start.md': '# Start\n' } }).prompt)
  const again = await jobs.waitUntilEnded(id)
  check(
    again.outcome === 'no_changes' && again.prLink === null,
    'a follow-up without changes ends with no_changes and no prLink',
  )
  check((await listJobBranches(docs.person, id)).length === 0, 'the host has no branch of the job')
  check((await listJobPullRequests(docs.person, id)).length === 0, 'the host has no pull request of the job')
  return 'completed, prLink null, no branch'
}

export async function messagesRunInOrderScenario(context: ScenarioContext): Promise<string> {
  const { check, docs, agent } = context
  const jobs = await context.watchJobs(docs)
  const scripts = [createScript(docs), createScript(docs), createScript(docs)] as const
  const held = scripts.map(({ prompt }) => agent.pauseNext(prompt, 'claimed'))
  const { id } = await jobs.createAccepted(scripts[0].prompt)
  await held[0]?.reached
  for (const { prompt } of scripts.slice(1)) await jobs.followUp(id, prompt)
  check((await jobs.get(id)).queuedMessages === 2, 'two messages are queued')
  for (const [index, turn] of held.entries()) {
    const claimed = await turn.reached
    const states = (await jobs.messages(id)).map(({ status }) => status)
    const expected = scripts.map((_, other) => (other < index ? 'completed' : other === index ? 'running' : 'queued'))
    check(
      states.join() === expected.join(),
      `messages run one at a time, in order: expected ${expected}, got ${states}`,
    )
    const job = await jobs.get(id)
    check(
      job.status === 'active' && job.queuedMessages === 2 - index,
      `the job is active with ${2 - index} queued messages, got ${job.status}, ${job.queuedMessages}`,
    )
    const isOnOwnBranch = claimed.startBranch === job.pullRequest?.branch
    check(
      index === 0 ? claimed.startBranch === 'main' : isOnOwnBranch,
      `turn ${index + 1} starts on the right branch, got ${claimed.startBranch}`,
    )
    turn.release()
  }
  const files = Object.assign({}, ...scripts.map(({ write }) => write)) as Record<string, string>
  await checkPullRequest(context, jobs, await jobs.waitUntilEnded(id), { files, commits: 3 })
  check(
    jobs.history(id) === 'active → completed',
    `the job stays active until the last message is completed, got ${jobs.history(id)}`,
  )
  return 'three turns one after another, one pull request'
}

type Ending = 'merged' | 'closed'
/** Relative to the follow-up: after or before Colophon noticed the end, while the agent works, or while Colophon publishes. */
type EndTiming = 'noticed' | 'unnoticed' | 'working' | 'publishing'

/** A follow-up after the end of a pull request opens a new one with only its own changes. */
export const followUpAfterEndScenario =
  (ending: Ending, when: EndTiming) =>
  async (context: ScenarioContext): Promise<string> => {
    const { check, docs, agent, host } = context
    const { person } = docs
    const jobs = await context.watchJobs(docs)
    const first = createScript(docs)
    const second = createScript(docs)
    const { id } = await jobs.createAccepted(first.prompt)
    const created = await jobs.waitUntilEnded(id)
    const number = created.pullRequest?.number ?? 0
    const endPullRequest = () => (ending === 'merged' ? person.merge(number) : person.close(number))

    const held = when === 'working' && agent.pauseNext(second.prompt, 'finished')
    const push = when === 'publishing' && host.holdNext('before', (call) => context.calls.pushes(call, id))
    if (when === 'noticed' || when === 'unnoticed') await endPullRequest()
    if (when === 'noticed')
      await jobs.waitUntil(id, `the pull request is ${ending}`, ({ pullRequest }) => pullRequest?.state === ending)
    await jobs.followUp(id, second.prompt)
    if (held)
      check(
        (await held.reached).startBranch === created.pullRequest?.branch,
        'the follow-up starts on the branch of the open pull request',
      )
    if (push) await push.reached
    if (held || push) await endPullRequest()
    if (held) held.release()
    if (push) push.release()

    const job = await jobs.waitUntilEnded(id)
    await checkPullRequest(context, jobs, job, { files: second.write, commits: 1, pullRequests: 2 })
    const results = context.acceptedResultCount(second.prompt)
    check(results === (held || push ? 2 : 1), `the turn runs ${held || push ? 2 : 1} times, got ${results}`)
    const last = agent.claims.findLast(({ prompt }) => prompt === second.prompt)
    check(last?.startBranch === 'main', `the last attempt starts on main, got ${last?.startBranch}`)
    const old = await person.pullRequest(number)
    check(old.state === ending, `the first pull request is ${ending}, got ${old.state}`)
    return held || push ? 'turn repeated on the base, new pull request' : 'new pull request'
  }

/** A person pushes to the base while the agent works. */
export async function baseBranchMovesScenario(context: ScenarioContext): Promise<string> {
  const { docs, agent } = context
  const jobs = await context.watchJobs(docs)
  const script = createScript(docs)
  const held = agent.pauseNext(script.prompt, 'finished')
  const { id } = await jobs.createAccepted(script.prompt)
  await held.reached
  const pushed = createScript(docs)
  await docs.person.push('main', pushed.page, 'A person was here.\n')
  held.release()
  const job = await jobs.waitUntilEnded(id)
  await checkPullRequest(context, jobs, job, { files: script.write, commits: 1 })
  await docs.person.merge(job.pullRequest?.number ?? 0)
  const contents = await Promise.all([pushed, script].map(({ page }) => docs.person.read(page, 'main')))
  context.check(
    contents[0] === 'A person was here.\n' && contents[1] === script.write[script.page],
    'the base has both changes after the merge',
  )
  return 'published, and can be merged'
}
