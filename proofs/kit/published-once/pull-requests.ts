/** From a create to a pull request, and what follow-ups do with it. */
import { branchesOf, pullRequestsOf } from '../hosts/host-person.ts'
import { diffOfNewFiles, withoutObjectNames } from '../hosts/new-files-diff.ts'
import type { AgentJob, WatchedJobs } from '../watched-jobs.ts'
import { type Scene, scriptFor } from './stage.ts'

export interface Published {
  /** That were not there before. */
  files: Record<string, string>
  /** All of them ours. */
  commits: number
  /** Of the job; only the last is open. */
  pullRequests?: number
  status?: 'completed' | 'archived'
  outcome?: 'pull_request' | 'no_changes'
}

/** Exactly one open pull request of the job, with exactly these new files, in exactly so many commits of ours. */
export async function checkPullRequest(
  { check, docs }: Pick<Scene, 'check' | 'docs'>,
  jobs: WatchedJobs,
  job: AgentJob,
  { files, commits: maxCommits, pullRequests = 1, status = 'completed', outcome = 'pull_request' }: Published,
): Promise<void> {
  const { person } = docs
  check(job.status === status, `${status}, not ${job.status} ${JSON.stringify(job.error)}`)
  check(job.outcome === outcome, `the outcome is ${outcome}, not ${job.outcome}`)
  const all = await pullRequestsOf(person, job.id)
  check(all.length === pullRequests, `${pullRequests} pull requests on the host, not ${all.length}`)
  const last = all.at(-1)
  if (!last) return
  check(job.prLink === last.url && job.pullRequest?.number === last.number, `prLink ${job.prLink} is the last one`)
  check(last.state === 'open' && job.pullRequest?.state === 'open', 'it is open')
  const diff = withoutObjectNames(await person.diffOf(last.number))
  check(diff === diffOfNewFiles(files), `the diff on the host is right: ${diff}`)
  const told = withoutObjectNames((await jobs.diff(job.id)) ?? '')
  check(told === diff, `the job tells the same diff: ${told}`)
  const commits = await person.commitsOf(last.number)
  check(commits.length === maxCommits, `${maxCommits} commits, not ${commits.length}`)
  check(
    commits.every(({ isOurs }) => isOurs),
    'all commits are ours',
  )
}

export async function followUps(scene: Scene): Promise<string> {
  const { check, docs } = scene
  const { person } = docs
  const jobs = await scene.jobsOf(docs)
  const first = scriptFor(docs, { title: 'Explain the proxy' })
  const { id } = await jobs.begin(first.prompt)
  const created = await jobs.ended(id)
  await checkPullRequest(scene, jobs, created, { files: first.write, commits: 1 })
  check(jobs.history(id) === 'active → completed', `active → completed, not ${jobs.history(id)}`)
  const number = created.pullRequest?.number ?? 0
  const opened = await person.pullRequest(number)
  check(opened.title === 'Explain the proxy', `the agent's title, not ${opened.title}`)
  check(opened.body.includes(first.summary), `the agent's summary is in ${opened.body}`)
  check(opened.body.includes(`An AI agent wrote this pull request: Colophon, job \`${id}\``), 'it says who wrote it')
  check(created.reply === 'Done.' && created.usage.costUsd === 0, 'its reply is told, and that no model was called')

  const second = scriptFor(docs, { title: 'Something else' })
  await jobs.followUp(id, second.prompt)
  const files = { ...first.write, ...second.write }
  const followed = await jobs.ended(id)
  await checkPullRequest(scene, jobs, followed, { files, commits: 2 })
  const rewritten = await person.pullRequest(number)
  check(rewritten.title === opened.title, `a follow-up keeps the title, not ${rewritten.title}`)
  check(rewritten.body.includes(second.summary) && !rewritten.body.includes(first.summary), 'the body is rewritten')

  await person.rewrite(number, { title: 'My own words', body: 'I say it better.' })
  const third = scriptFor(docs)
  await jobs.followUp(id, third.prompt)
  await checkPullRequest(scene, jobs, await jobs.ended(id), { files: { ...files, ...third.write }, commits: 3 })
  const kept = await person.pullRequest(number)
  check(kept.title === 'My own words' && kept.body === 'I say it better.', `a person's words stay: ${kept.title}`)

  await jobs.followUp(id, scriptFor(docs, { write: {} }).prompt)
  const unchanged = await jobs.ended(id)
  check(unchanged.prLink === kept.url, 'after a follow-up without changes prLink stays the latest pull request')
  const same = { files: { ...files, ...third.write }, commits: 3, outcome: 'no_changes' } as const
  await checkPullRequest(scene, jobs, unchanged, same)
  return "the same pull request: title kept, body rewritten, a person's words left alone"
}

export async function emptyResult(scene: Scene): Promise<string> {
  const { check, docs } = scene
  const jobs = await scene.jobsOf(docs)
  const { id } = await jobs.begin(scriptFor(docs, { write: {} }).prompt)
  const job = await jobs.ended(id)
  check(job.status === 'completed' && job.outcome === 'no_changes', `completed, no_changes, not ${job.outcome}`)
  check(job.prLink === null && job.pullRequest === null, 'prLink is null')
  check((await jobs.diff(id)) === null, 'there is no diff')
  await jobs.followUp(id, scriptFor(docs, { write: { 'docs/guide/start.md': '# Start\n' } }).prompt)
  const again = await jobs.ended(id)
  check(again.outcome === 'no_changes' && again.prLink === null, 'nothing again')
  check((await branchesOf(docs.person, id)).length === 0, 'no branch is left')
  check((await pullRequestsOf(docs.person, id)).length === 0, 'no pull request was opened')
  return 'completed, prLink null, no branch'
}

export async function messagesWaitTheirTurn(scene: Scene): Promise<string> {
  const { check, docs, agent } = scene
  const jobs = await scene.jobsOf(docs)
  const scripts = [scriptFor(docs), scriptFor(docs), scriptFor(docs)] as const
  const held = scripts.map(({ prompt }) => agent.hold(prompt, 'claimed'))
  const { id } = await jobs.begin(scripts[0].prompt)
  await held[0]?.reached
  for (const { prompt } of scripts.slice(1)) await jobs.followUp(id, prompt)
  check((await jobs.get(id)).queuedMessages === 2, 'two wait')
  for (const [index, turn] of held.entries()) {
    const claimed = await turn.reached
    const states = (await jobs.messages(id)).map(({ status }) => status)
    const expected = scripts.map((_, other) => (other < index ? 'completed' : other === index ? 'running' : 'queued'))
    check(states.join() === expected.join(), `one at a time, in order: ${states}`)
    const job = await jobs.get(id)
    check(job.status === 'active' && job.queuedMessages === 2 - index, `${2 - index} wait: ${job.queuedMessages}`)
    const isOnOwnBranch = claimed.startBranch === job.pullRequest?.branch
    check(index === 0 ? claimed.startBranch === 'main' : isOnOwnBranch, `turn ${index + 1} on ${claimed.startBranch}`)
    turn.release()
  }
  const files = Object.assign({}, ...scripts.map(({ write }) => write)) as Record<string, string>
  await checkPullRequest(scene, jobs, await jobs.ended(id), { files, commits: 3 })
  check(jobs.history(id) === 'active → completed', `active until the last is done: ${jobs.history(id)}`)
  return 'three turns one after another, one pull request'
}

type Ending = 'merged' | 'closed'
/** `told`: we have seen it. `untold`: nobody has told us yet. Or while the agent works on a follow-up, or while we publish it. */
type WhenItEnds = 'told' | 'untold' | 'working' | 'publishing'

/** The follow-up after a pull request has ended goes to a new one, which shows nothing but its own changes. */
export const afterTheEnd =
  (ending: Ending, when: WhenItEnds) =>
  async (scene: Scene): Promise<string> => {
    const { check, docs, agent, host } = scene
    const { person } = docs
    const jobs = await scene.jobsOf(docs)
    const first = scriptFor(docs)
    const second = scriptFor(docs)
    const { id } = await jobs.begin(first.prompt)
    const created = await jobs.ended(id)
    const number = created.pullRequest?.number ?? 0
    const endIt = () => (ending === 'merged' ? person.merge(number) : person.close(number))

    const held = when === 'working' && agent.hold(second.prompt, 'worked')
    const push = when === 'publishing' && host.hold('before', (call) => scene.calls.puts(call, id))
    if (when === 'told' || when === 'untold') await endIt()
    if (when === 'told') await jobs.until(id, 'its end is seen', ({ pullRequest }) => pullRequest?.state === ending)
    await jobs.followUp(id, second.prompt)
    if (held)
      check((await held.reached).startBranch === created.pullRequest?.branch, 'begun on the branch of the open one')
    if (push) await push.reached
    if (held || push) await endIt()
    if (held) held.release()
    if (push) push.release()

    const job = await jobs.ended(id)
    await checkPullRequest(scene, jobs, job, { files: second.write, commits: 1, pullRequests: 2 })
    const times = scene.timesPerformed(second.prompt)
    check(times === (held || push ? 2 : 1), `performed ${times} times`)
    const last = agent.claims.findLast(({ prompt }) => prompt === second.prompt)
    check(last?.startBranch === 'main', `on the base, not on ${last?.startBranch}`)
    const old = await person.pullRequest(number)
    check(old.state === ending, `the first one is ${ending}`)
    return held || push ? 'performed once more on the base, a new pull request' : 'a new pull request'
  }

/** Somebody pushes to the base while the agent works. */
export async function baseMovesOn(scene: Scene): Promise<string> {
  const { docs, agent } = scene
  const jobs = await scene.jobsOf(docs)
  const script = scriptFor(docs)
  const held = agent.hold(script.prompt, 'worked')
  const { id } = await jobs.begin(script.prompt)
  await held.reached
  const theirs = scriptFor(docs)
  await docs.person.push('main', theirs.page, 'A person was here.\n')
  held.release()
  const job = await jobs.ended(id)
  await checkPullRequest(scene, jobs, job, { files: script.write, commits: 1 })
  await docs.person.merge(job.pullRequest?.number ?? 0)
  const both = await Promise.all([theirs, script].map(({ page }) => docs.person.read(page, 'main')))
  scene.check(both[0] === 'A person was here.\n' && both[1] === script.write[script.page], 'both are in the base')
  return 'published all the same, and merges'
}
