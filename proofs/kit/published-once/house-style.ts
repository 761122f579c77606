/** A project's own templates, labels and reviewers; its webhook; and text of an agent that tries to act on the host. */
import { setTimeout as sleep } from 'node:timers/promises'
import { giteaPerson } from '../hosts/gitea-person.ts'
import { pullRequestsOf } from '../hosts/host-person.ts'
import { askForPullRequestsSeconds, type ProjectOnHost, type Scene, scriptFor } from './stage.ts'

export async function houseStyle(scene: Scene): Promise<string> {
  const { check } = scene
  const made = await scene.makeRepository()
  const { name: reviewer } = await made.repository.invite('write')
  const label = await made.repository.knownLabel()
  const publishing = {
    branchTemplate: 'docs/{jobId}',
    titleTemplate: 'docs: {title}',
    bodyTemplate: 'Please look.\n\n{summary}\n',
    labels: [label, 'no such label'],
    reviewers: [reviewer],
    draft: true,
    signOff: true,
  }
  const project = await scene.connect({ made, publishing, isHooked: true })
  const { person } = project
  const jobs = await scene.jobsOf(project)
  const first = scriptFor(project, { title: 'Explain the proxy' })
  const { id } = await jobs.begin(first.prompt)
  const job = await jobs.ended(id)
  const [opened, ...more] = await pullRequestsOf(person, id)
  check(opened !== undefined && more.length === 0 && job.prLink === opened.url, 'one pull request')
  if (!opened) return 'nothing'
  check(opened.branch === `docs/${id}`, `the branch by its template, not ${opened.branch}`)
  check(
    opened.title.endsWith('docs: Explain the proxy') && opened.isDraft,
    `a draft, titled by template: ${opened.title}`,
  )
  check(opened.body.startsWith(`Please look.\n\n`) && opened.body.includes(first.summary), `the body: ${opened.body}`)
  check(opened.labels.join() === label, 'labelled, with labels that exist')
  check(opened.reviewers.join() === reviewer, 'the reviewer is asked')
  const [commit] = await person.commitsOf(opened.number)
  const signOff = /\nSigned-off-by: Colophon <colophon@localhost.invalid>$/
  check(signOff.test(commit?.message.trim() ?? ''), `signed off: ${commit?.message}`)

  // What people take away stays away, and a draft that they declared ready stays ready.
  await person.removeLabel(opened.number, label)
  await person.declareReady(opened.number)
  await jobs.followUp(id, scriptFor(project).prompt)
  await jobs.ended(id)
  const followed = await person.pullRequest(opened.number)
  check(!followed.isDraft && followed.title === 'docs: Explain the proxy', `still ready: ${followed.title}`)
  check(followed.labels.length === 0, 'a label that was taken away stays away')

  await sleep(1_500) // the first look after publishing is over: from here on only the webhook can tell
  const mergedAt = Date.now()
  await person.merge(opened.number)
  await jobs.until(id, 'the merge is seen', ({ pullRequest }) => pullRequest?.state === 'merged')
  const seenMs = Date.now() - mergedAt
  check(seenMs < (askForPullRequestsSeconds * 1000) / 2, `the webhook tells at once: ${seenMs} ms`)
  const { path, headers, body } = scene.forgedHook(project.projectId, opened.number)
  const forged = await fetch(scene.api.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  check(forged.status === 401, `a forged one is refused: ${forged.status}`)
  return `templates, label, reviewer, draft, sign-off; a merge seen after ${seenMs} ms by webhook`
}

/** Everything that hosts act on, in title and summary: what becomes of it in title, body and commits. */
export async function harmlessTexts(scene: Scene): Promise<string> {
  const { check } = scene
  const project = await scene.connect()
  const { person, repository } = project
  const { name: victim } = await repository.invite('write')
  const { number, made } = await publishActingWords(scene, project, victim, 1)
  check(!made.isDraft, `a title does not make a draft: ${made.title}`)
  check(!made.body.includes(`@${victim}`), `nobody is mentioned: ${made.body}`)
  check(!/(?<!\\)<img|!\[/.test(made.body), `nothing is loaded: ${made.body}`)
  for (const { message } of await person.commitsOf(number)) {
    const trailers = message.trim().split('\n\n').at(-1) ?? ''
    check(/^Colophon-Job: \w+$/.test(trailers), `the only trailer is ours: ${trailers}`)
    check(!/^(co-authored|signed-off)-by:/im.test(message), `no trailer of the agent's: ${message}`)
    check(!/\[skip ci\]/i.test(message), `no CI is skipped: ${message}`)
  }
  return 'no draft, nobody mentioned, nothing loaded, skipped or signed'
}

async function publishActingWords(scene: Scene, project: ProjectOnHost, victim: string, issue: number) {
  const jobs = await scene.jobsOf(project)
  const title = `WIP: closes #${issue} for @${victim} [skip ci]`
  const summary = actingWords(project.person.repository, victim, issue)
  const { id } = await jobs.begin(scriptFor(project, { title, summary }).prompt)
  const number = (await jobs.ended(id)).pullRequest?.number ?? 0
  return { number, made: await project.person.pullRequest(number) }
}

const actingWords = (repository: string, victim: string, issue: number) =>
  [
    `Fixes #${issue}, closes ${repository}#${issue}.`,
    `cc @${victim}`,
    '![pixel](https://tracker.example/pixel.png)',
    '<img src="https://tracker.example/2.png">',
    '[skip ci]',
    '',
    `Co-authored-by: ${victim} <${victim}@localhost.invalid>`,
    'Signed-off-by: A Person <a@b.c>',
  ].join('\n')

/** The same on the real Gitea, which acts on such words: those of a person do what they say, those of an agent nothing. */
export async function wordsOnGitea(scene: Scene): Promise<string> {
  const { check, service } = scene
  const project = await scene.connect()
  const { person, repository } = project
  const { url, adminToken } = service.gitea
  const gitea = giteaPerson(url, person.repository, adminToken)
  const { name: victim, token: victimToken } = await repository.invite('write')
  const here = `/repos/${person.repository}`
  const issue = () => gitea.json<{ number: number; state: string }>('POST', `${here}/issues`, { title: 'A bug' })
  const safe = await issue()
  const control = await issue()
  const { number, made } = await publishActingWords(scene, project, victim, safe.number)
  const html = await gitea.text('POST', '/markdown', { Text: made.body, Mode: 'comment', Context: person.repository })
  const tags = html.match(/<[^>]*>/g) ?? []
  check(
    !tags.some((tag) => /^<(img|a|iframe|svg)\b|\s(src|href|on\w+)=|mention|ref-/.test(tag)),
    `nothing is loaded, linked or mentioned: ${html}`,
  )
  await person.merge(number)

  // The same words by a person, to see that they do act here, and that we would have seen it.
  await person.push('main', 'docs/by-a-person.md', 'One.\n')
  await gitea.json('POST', `${here}/branches`, { new_branch_name: 'by-a-person', old_branch_name: 'main' })
  await person.push('by-a-person', 'docs/by-a-person.md', 'Two.\n')
  const body = actingWords(person.repository, victim, control.number)
  const theirs = { head: 'by-a-person', base: 'main', title: 'By a person', body }
  const { number: byPerson } = await gitea.json<{ number: number }>('POST', `${here}/pulls`, theirs)
  await person.merge(byPerson)
  const asVictim = giteaPerson(url, person.repository, victimToken)
  const told = async () =>
    (await asVictim.json<{ subject: { url: string } }[]>('GET', '/notifications?all=true')).map(({ subject }) =>
      Number(subject.url.split('/').at(-1)),
    )
  const stateOf = async (of: { number: number }) =>
    (await gitea.json<{ state: string }>('GET', `${here}/issues/${of.number}`)).state
  const giveUpAt = Date.now() + 15_000
  while (!((await told()).includes(byPerson) && (await stateOf(control)) === 'closed') && Date.now() < giveUpAt)
    await sleep(200)
  check((await stateOf(control)) === 'closed', 'the words of a person close an issue')
  check((await told()).includes(byPerson), 'and tell the one they mention')
  check((await stateOf(safe)) === 'open', 'those of the agent close nothing')
  check(!(await told()).includes(number), 'and mention nobody')
  const timeline = await gitea.json<{ type: string }[] | null>('GET', `${here}/issues/${safe.number}/timeline`)
  check((timeline ?? []).length === 0, `nor is the issue touched: ${JSON.stringify(timeline)}`)
  return 'nobody is mentioned, nothing closed, loaded or linked'
}
