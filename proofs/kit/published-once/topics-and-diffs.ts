/** What create takes beside the prompt: `topic`, and `publish: diff`. */
import { branchesOf, pullRequestsOf } from '../hosts/host-person.ts'
import { diffOfNewFiles, withoutObjectNames } from '../hosts/new-files-diff.ts'
import { checkPullRequest } from './pull-requests.ts'
import { type Scene, scriptFor } from './stage.ts'

export async function topics(scene: Scene): Promise<string> {
  const { check, docs, agent } = scene
  const jobs = await scene.jobsOf(docs)
  const topic = `release notes ${scriptFor(docs).page}`
  const first = scriptFor(docs)
  const second = scriptFor(docs)
  const third = scriptFor(docs)
  const held = agent.hold(first.prompt, 'claimed')
  const { id } = await jobs.begin(first.prompt, { topic })
  await held.reached

  const isMessage = async (prompt: string) => {
    const { status, job, headers } = await jobs.create(prompt, { topic })
    check(status === 200 && job.id === id, `a second create is a message: ${status}, ${job.id}`)
    check(headers.get('ratelimit')?.startsWith('"messages"') ?? false, `counted as one: ${headers.get('ratelimit')}`)
    check(headers.get('location')?.endsWith(id) ?? false, 'and says where the job is')
  }
  await isMessage(second.prompt)
  check((await jobs.get(id)).queuedMessages === 1, 'it waits its turn')
  held.release()
  const job = await jobs.ended(id)
  await checkPullRequest(scene, jobs, job, { files: { ...first.write, ...second.write }, commits: 2 })
  await isMessage(third.prompt)
  const files = { ...first.write, ...second.write, ...third.write }
  await checkPullRequest(scene, jobs, await jobs.ended(id), { files, commits: 3 })

  await docs.person.merge(job.pullRequest?.number ?? 0)
  await jobs.until(id, 'the merge is seen', ({ pullRequest }) => pullRequest?.state === 'merged')
  const prompts = [scriptFor(docs), scriptFor(docs), scriptFor(docs)].map(({ prompt }) => prompt)
  const responses = await Promise.all(prompts.map((prompt) => jobs.create(prompt, { topic })))
  const statuses = responses.map(({ status }) => status).sort()
  const ids = new Set(responses.map((response) => response.job.id))
  check(
    statuses.join() === '200,200,201' && ids.size === 1,
    `after the merge one new job of three creates: ${statuses}`,
  )
  const [newId = ''] = ids
  check(newId !== id, 'and it is a new one')

  // The old job may still be spoken to. Its new pull request must not get into the new job's way.
  const late = scriptFor(docs)
  await jobs.followUp(id, late.prompt)
  await checkPullRequest(scene, jobs, await jobs.ended(id), { files: late.write, commits: 1, pullRequests: 2 })
  await jobs.ended(newId)
  const { status, job: next } = await jobs.create(scriptFor(docs).prompt, { topic })
  check(status === 200 && next.id === newId, 'the topic stays with the newest job')
  await jobs.ended(newId)

  await jobs.archive(id)
  await jobs.archive(newId)
  const fresh = await jobs.create(scriptFor(docs).prompt, { topic })
  check(fresh.status === 201, `after the archive a new job: ${fresh.status}`)
  await jobs.ended(fresh.job.id)
  return 'a second create is a message; after a merge and after an archive a new job'
}

export async function diffs(scene: Scene): Promise<string> {
  const { check, docs } = scene
  const jobs = await scene.jobsOf(docs)
  const first = scriptFor(docs)
  const second = scriptFor(docs)
  const { id } = await jobs.begin(first.prompt, { publish: 'diff' })
  const isDiff = async (files: Record<string, string>) => {
    const job = await jobs.ended(id)
    check(job.status === 'completed' && job.outcome === 'diff', `completed with a diff, not ${job.outcome}`)
    check(job.prLink === null && job.pullRequest === null, 'no pull request')
    const diff = withoutObjectNames((await jobs.diff(id)) ?? '')
    check(diff === diffOfNewFiles(files), `the diff of all that was changed: ${diff}`)
  }
  await isDiff(first.write)

  // The base moves on in between: what was accepted stays the ground that the next turn stands on.
  await docs.person.push('main', scriptFor(docs).page, 'A person was here.\n')
  await jobs.followUp(id, second.prompt)
  await isDiff({ ...first.write, ...second.write })
  const rewritten = { [first.page]: 'Shorter.\n' }
  await jobs.followUp(id, scriptFor(docs, { write: rewritten }).prompt)
  await isDiff({ ...rewritten, ...second.write })

  await jobs.followUp(id, scriptFor(docs, { write: {} }).prompt)
  const unchanged = await jobs.ended(id)
  check(unchanged.outcome === 'no_changes', `a turn may change nothing: ${unchanged.outcome}`)
  check(withoutObjectNames((await jobs.diff(id)) ?? '').includes('Shorter.'), 'and the diff stays')

  const page = 'docs/guide/start.md'
  const before = await docs.person.read(page, 'main')
  const other = await jobs.begin(scriptFor(docs, { write: { [page]: 'Rewritten.\n' } }).prompt, { publish: 'diff' })
  await jobs.ended(other.id)
  check((await jobs.diff(other.id))?.includes('+Rewritten.') ?? false, 'a page is rewritten')
  await jobs.followUp(other.id, scriptFor(docs, { write: { [page]: before } }).prompt)
  const takenBack = await jobs.ended(other.id)
  check(takenBack.outcome === 'no_changes', `taken back: ${takenBack.outcome}`)
  check((await jobs.diff(other.id)) === null, 'and there is no diff any more')

  check((await branchesOf(docs.person, id)).length === 0, 'nothing was pushed')
  check((await pullRequestsOf(docs.person, id)).length === 0, 'nothing was opened')
  return 'nothing pushed, each turn builds on the one before'
}
