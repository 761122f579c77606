/** People push to the job's own branch while the agent works on it. */
import { checkPullRequest } from './pull-requests.ts'
import { type Scene, scriptFor } from './stage.ts'

export async function mergeableMove(scene: Scene): Promise<string> {
  const { check, docs, agent } = scene
  const { id, branch, number, jobs, first } = await withPullRequest(scene)
  const second = scriptFor(docs)
  const theirs = scriptFor(docs)
  const held = agent.hold(second.prompt, 'worked')
  await jobs.followUp(id, second.prompt)
  await held.reached
  await docs.person.push(branch, theirs.page, 'A person was here.\n')
  held.release()
  const job = await jobs.ended(id)
  check(job.status === 'completed' && job.pullRequest?.number === number, `completed on the same one: ${job.status}`)
  const commits = await docs.person.commitsOf(number)
  const authors = commits.map(({ isOurs }) => (isOurs ? 'ours' : 'theirs'))
  check(authors.join() === 'ours,theirs,ours', `our work comes on top of theirs: ${authors}`)
  check(commits[2]?.parents[0] === commits[1]?.id, 'theirs is the parent')
  await checkFiles(scene, branch, { ...first.write, [theirs.page]: 'A person was here.\n', ...second.write })
  check(scene.timesPerformed(second.prompt) === 1, 'performed once')
  return 'merged on top of what the person pushed'
}

export async function contradictingMove(scene: Scene): Promise<string> {
  const { check, docs, agent } = scene
  const { id, branch, number, jobs, first } = await withPullRequest(scene)
  const second = scriptFor(docs, { write: { [first.page]: 'The agent says so.\n' } })
  const held = agent.hold(second.prompt, 'worked')
  await jobs.followUp(id, second.prompt)
  await held.reached
  await docs.person.push(branch, first.page, 'A person says otherwise.\n')
  held.release()
  const job = await jobs.ended(id)
  check(job.status === 'completed' && job.pullRequest?.number === number, `completed on the same one: ${job.status}`)
  const commits = await docs.person.commitsOf(number)
  check(commits.length === 3, `ours, theirs, ours: ${commits.length} commits`)
  check(commits[2]?.parents[0] === commits[1]?.id, 'built on theirs, not over it')
  await checkFiles(scene, branch, { [first.page]: 'The agent says so.\n' })
  check(scene.timesPerformed(second.prompt) === 2, 'performed once more')
  return 'performed once more on the branch as it is, then published'
}

export async function movesTwice(scene: Scene): Promise<string> {
  const { check, docs, agent } = scene
  const { id, branch, number, jobs, first } = await withPullRequest(scene)
  const second = scriptFor(docs, { write: { [first.page]: 'The agent says so.\n' } })
  const holds = [agent.hold(second.prompt, 'worked'), agent.hold(second.prompt, 'worked')]
  await jobs.followUp(id, second.prompt)
  for (const [index, held] of holds.entries()) {
    await held.reached
    await docs.person.push(branch, first.page, `A person says otherwise, time ${index}.\n`)
    held.release()
  }
  const job = await jobs.ended(id)
  check(job.status === 'failed' && job.outcome === 'error', `failed, not ${job.status}`)
  check(job.error?.code === 'branch_moved', `branch_moved, not ${job.error?.code}`)
  check((await docs.person.commitsOf(number)).length === 3, 'nothing of ours was pushed')
  await checkFiles(scene, branch, { [first.page]: 'A person says otherwise, time 1.\n' })
  const third = scriptFor(docs)
  await jobs.followUp(id, third.prompt)
  const after = await jobs.ended(id)
  check(after.status === 'completed' && after.pullRequest?.number === number, 'the next message goes on from there')
  return 'fails branch_moved, the branch is as the person left it'
}

/** Somebody tidies up and deletes the branch: the host closes the pull request with it. */
export async function branchIsDeleted(scene: Scene): Promise<string> {
  const { docs, agent } = scene
  const { id, branch, jobs } = await withPullRequest(scene)
  const second = scriptFor(docs)
  const held = agent.hold(second.prompt, 'worked')
  await jobs.followUp(id, second.prompt)
  await held.reached
  await docs.person.deleteBranch(branch)
  held.release()
  const job = await jobs.ended(id)
  const pullRequests = scene.forgetsDeletedBranches ? 1 : 2
  await checkPullRequest(scene, jobs, job, { files: second.write, commits: 1, pullRequests })
  return 'performed once more on the base, a new pull request'
}

async function withPullRequest(scene: Scene) {
  const { docs } = scene
  const jobs = await scene.jobsOf(docs)
  const first = scriptFor(docs)
  const { id } = await jobs.begin(first.prompt)
  const job = await jobs.ended(id)
  await checkPullRequest(scene, jobs, job, { files: first.write, commits: 1 })
  return { jobs, id, first, branch: job.pullRequest?.branch ?? '', number: job.pullRequest?.number ?? 0 }
}

async function checkFiles({ check, docs }: Scene, branch: string, files: Record<string, string>): Promise<void> {
  for (const [path, contents] of Object.entries(files)) {
    const found = await docs.person.read(path, branch).catch(String)
    check(found === contents, `${path} on the branch is ${JSON.stringify(contents)}, not ${JSON.stringify(found)}`)
  }
}
