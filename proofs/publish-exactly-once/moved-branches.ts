/** A person pushes to the job's branch while the agent works on it. */

import { createScript, type ScenarioContext } from './fixture.ts'
import { checkPullRequest } from './pull-requests.ts'

export async function branchMovesMergeableScenario(context: ScenarioContext): Promise<string> {
  const { check, docs, agent } = context
  const { id, branch, number, jobs, first } = await openPullRequest(context)
  const second = createScript(docs)
  const pushed = createScript(docs)
  const held = agent.pauseNext(second.prompt, 'finished')
  await jobs.followUp(id, second.prompt)
  await held.reached
  await docs.person.push(branch, pushed.page, 'A person was here.\n')
  held.release()
  const job = await jobs.waitUntilEnded(id)
  check(
    job.status === 'completed' && job.pullRequest?.number === number,
    `the job is completed on the same pull request, got ${job.status}, ${job.pullRequest?.number}`,
  )
  const commits = await docs.person.pullRequestCommits(number)
  const authors = commits.map(({ isByColophon }) => (isByColophon ? 'colophon' : 'person'))
  check(authors.join() === 'colophon,person,colophon', `Colophon's commit is on top of the person's, got ${authors}`)
  check(commits[2]?.parents[0] === commits[1]?.id, "the person's commit is the parent")
  await checkFiles(context, branch, { ...first.write, [pushed.page]: 'A person was here.\n', ...second.write })
  check(context.acceptedResultCount(second.prompt) === 1, 'the turn runs once')
  return "merged on top of the person's commit"
}

export async function branchMovesConflictingScenario(context: ScenarioContext): Promise<string> {
  const { check, docs, agent } = context
  const { id, branch, number, jobs, first } = await openPullRequest(context)
  const second = createScript(docs, { write: { [first.page]: 'The agent says so.\n' } })
  const held = agent.pauseNext(second.prompt, 'finished')
  await jobs.followUp(id, second.prompt)
  await held.reached
  await docs.person.push(branch, first.page, 'A person says otherwise.\n')
  held.release()
  const job = await jobs.waitUntilEnded(id)
  check(
    job.status === 'completed' && job.pullRequest?.number === number,
    `the job is completed on the same pull request, got ${job.status}, ${job.pullRequest?.number}`,
  )
  const commits = await docs.person.pullRequestCommits(number)
  check(commits.length === 3, `the pull request has 3 commits, got ${commits.length}`)
  check(commits[2]?.parents[0] === commits[1]?.id, "Colophon's commit is based on the person's commit")
  await checkFiles(context, branch, { [first.page]: 'The agent says so.\n' })
  check(context.acceptedResultCount(second.prompt) === 2, 'the turn runs twice')
  return 'turn repeated on the moved branch, then published'
}

export async function branchMovesTwiceScenario(context: ScenarioContext): Promise<string> {
  const { check, docs, agent } = context
  const { id, branch, number, jobs, first } = await openPullRequest(context)
  const second = createScript(docs, { write: { [first.page]: 'The agent says so.\n' } })
  const pauses = [agent.pauseNext(second.prompt, 'finished'), agent.pauseNext(second.prompt, 'finished')]
  await jobs.followUp(id, second.prompt)
  for (const [index, held] of pauses.entries()) {
    await held.reached
    await docs.person.push(branch, first.page, `A person says otherwise, time ${index}.\n`)
    held.release()
  }
  const job = await jobs.waitUntilEnded(id)
  check(job.status === 'failed' && job.outcome === 'error', `the job is failed, got ${job.status}`)
  check(job.error?.code === 'branch_moved', `the error code is branch_moved, got ${job.error?.code}`)
  check((await docs.person.pullRequestCommits(number)).length === 3, 'Colophon pushed nothing after the conflicts')
  await checkFiles(context, branch, { [first.page]: 'A person says otherwise, time 1.\n' })
  const third = createScript(docs)
  await jobs.followUp(id, third.prompt)
  const after = await jobs.waitUntilEnded(id)
  check(
    after.status === 'completed' && after.pullRequest?.number === number,
    'the next message is published on the same pull request',
  )
  return "fails with branch_moved, the person's branch is unchanged"
}

/** A person deletes the branch: the host closes the pull request with it. */
export async function branchDeletedScenario(context: ScenarioContext): Promise<string> {
  const { docs, agent } = context
  const { id, branch, jobs } = await openPullRequest(context)
  const second = createScript(docs)
  const held = agent.pauseNext(second.prompt, 'finished')
  await jobs.followUp(id, second.prompt)
  await held.reached
  await docs.person.deleteBranch(branch)
  held.release()
  const job = await jobs.waitUntilEnded(id)
  const pullRequests = context.dropsDeletedBranchNames ? 1 : 2
  await checkPullRequest(context, jobs, job, { files: second.write, commits: 1, pullRequests })
  return 'turn repeated on the base, new pull request'
}

async function openPullRequest(context: ScenarioContext) {
  const { docs } = context
  const jobs = await context.watchJobs(docs)
  const first = createScript(docs)
  const { id } = await jobs.createAccepted(first.prompt)
  const job = await jobs.waitUntilEnded(id)
  await checkPullRequest(context, jobs, job, { files: first.write, commits: 1 })
  return { jobs, id, first, branch: job.pullRequest?.branch ?? '', number: job.pullRequest?.number ?? 0 }
}

async function checkFiles(
  { check, docs }: ScenarioContext,
  branch: string,
  files: Record<string, string>,
): Promise<void> {
  for (const [path, contents] of Object.entries(files)) {
    const actual = await docs.person.read(path, branch).catch(String)
    check(actual === contents, `${path} on the branch is ${JSON.stringify(contents)}, got ${JSON.stringify(actual)}`)
  }
}
