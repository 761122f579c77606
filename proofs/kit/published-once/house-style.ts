/** A project's own templates, labels and reviewers; its webhook; and text of an agent that tries to act on the host. */
import { setTimeout as sleep } from 'node:timers/promises'
import { giteaPerson } from '../gitea-person.ts'
import { askForPullRequestsSeconds, type Scene, scriptFor } from './stage.ts'

export async function houseStyle(scene: Scene): Promise<string> {
  const { check } = scene
  const repository = await scene.makeRepository()
  const reviewer = await repository.addPerson('write', ['read:user'])
  await repository.asPerson('POST', '/labels', { name: 'docs', color: '#00aabb' })
  const publishing = {
    ...{ branchTemplate: 'docs/{jobId}', titleTemplate: 'docs: {title}', bodyTemplate: 'Please look.\n\n{summary}\n' },
    ...{ labels: ['docs', 'no such label'], reviewers: [reviewer.name], draft: true, signOff: true },
  }
  const project = await scene.connect({ repository, publishing, isHooked: true })
  const { person } = project
  const jobs = await scene.jobsOf(project)
  const first = scriptFor(project, { title: 'Explain the proxy' })
  const { id } = await jobs.begin(first.prompt)
  const job = await jobs.ended(id)
  const [made, ...more] = await person.pullRequestsOf(id)
  check(made !== undefined && more.length === 0 && job.prLink === made.html_url, 'one pull request')
  if (!made) return 'nothing'
  check(made.head.ref === `docs/${id}`, `the branch by its template, not ${made.head.ref}`)
  check(made.title === 'WIP: docs: Explain the proxy' && made.draft, `a draft, titled by template: ${made.title}`)
  check(made.body.startsWith(`Please look.\n\n`) && made.body.includes(first.summary), `the body: ${made.body}`)
  check(made.labels.map(({ name }) => name).join() === 'docs', 'labelled, with labels that exist')
  check(made.requested_reviewers?.map(({ login }) => login).join() === reviewer.name, 'the reviewer is asked')
  const [commit] = await person.commitsOf(made.number)
  const signOff = /\nSigned-off-by: Colophon <colophon@localhost.invalid>$/
  check(signOff.test(commit?.commit.message.trim() ?? ''), `signed off: ${commit?.commit.message}`)

  // What people take away stays away, and a draft that they declared ready stays ready.
  const label = made.labels[0] as { id?: number } | undefined
  await person.text('DELETE', `/repos/${person.repository}/issues/${made.number}/labels/${label?.id}`)
  await person.edit(made.number, { title: 'docs: Explain the proxy' })
  await jobs.followUp(id, scriptFor(project).prompt)
  await jobs.ended(id)
  const followed = await person.pullRequest(made.number)
  check(!followed.draft && followed.title === 'docs: Explain the proxy', `still ready: ${followed.title}`)
  check(followed.labels.length === 0, 'a label that was taken away stays away')

  await sleep(1_500) // the first look after publishing is over: from here on only the webhook can tell
  const mergedAt = Date.now()
  await person.merge(made.number)
  await jobs.until(id, 'the merge is seen', ({ pullRequest }) => pullRequest?.state === 'merged')
  const seenMs = Date.now() - mergedAt
  check(seenMs < (askForPullRequestsSeconds * 1000) / 2, `the webhook tells at once: ${seenMs} ms`)
  const forged = await fetch(`${scene.api.url}/v1/hooks/${project.projectId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gitea-event': 'pull_request', 'x-gitea-signature': '00' },
    body: JSON.stringify({ number: made.number }),
  })
  check(forged.status === 401, `a forged one is refused: ${forged.status}`)
  return `templates, label, reviewer, draft, sign-off; a merge seen after ${seenMs} ms by webhook`
}

/** Everything that hosts act on, in title and summary. */
export async function harmlessTexts(scene: Scene): Promise<string> {
  const { check, service } = scene
  const project = await scene.connect()
  const { person, repository } = project
  const victim = await repository.addPerson('write', ['read:notification', 'read:user'])
  const here = `/repos/${person.repository}`
  const issue = () => person.json<{ number: number; state: string }>('POST', `${here}/issues`, { title: 'A bug' })
  const [safe, control] = [await issue(), await issue()]
  const jobs = await scene.jobsOf(project)
  const acting = (number: number) =>
    [
      ...[`Fixes #${number}, closes ${person.repository}#${number}.`, `cc @${victim.name}`],
      ...['![pixel](https://tracker.example/pixel.png)', '<img src="https://tracker.example/2.png">', '[skip ci]'],
      ...['', `Co-authored-by: ${victim.name} <${victim.name}@localhost.invalid>`, 'Signed-off-by: A Person <a@b.c>'],
    ].join('\n')
  const title = `WIP: closes #${safe.number} for @${victim.name} [skip ci]`
  const script = scriptFor(project, { title, summary: acting(safe.number) })
  const { id } = await jobs.begin(script.prompt)
  const job = await jobs.ended(id)
  const number = job.pullRequest?.number ?? 0
  const made = await person.pullRequest(number)
  check(!made.draft, `a title does not make a draft: ${made.title}`)
  const html = await person.text('POST', '/markdown', { Text: made.body, Mode: 'comment', Context: person.repository })
  const tags = html.match(/<[^>]*>/g) ?? []
  check(
    !tags.some((tag) => /^<(img|a|iframe|svg)\b|\s(src|href|on\w+)=|mention|ref-/.test(tag)),
    `nothing is loaded, linked or mentioned: ${html}`,
  )
  for (const { commit } of await person.commitsOf(number)) {
    const trailers = commit.message.trim().split('\n\n').at(-1) ?? ''
    check(/^Colophon-Job: \w+$/.test(trailers), `the only trailer is ours: ${trailers}`)
    check(!/^(co-authored|signed-off)-by:/im.test(commit.message), `no trailer of the agent's: ${commit.message}`)
    check(!/\[skip ci\]/i.test(commit.message), `no CI is skipped: ${commit.message}`)
  }
  await person.merge(number)

  // The same words by a person, to see that they do act here, and that we would have seen it.
  await person.push('main', 'docs/by-a-person.md', 'One.\n')
  const words = acting(control.number)
  const branch = { new_branch_name: 'by-a-person', old_branch_name: 'main' }
  await person.json('POST', `${here}/branches`, branch)
  await person.push('by-a-person', 'docs/by-a-person.md', 'Two.\n')
  const theirs = { head: 'by-a-person', base: 'main', title: 'By a person', body: words }
  const { number: byPerson } = await person.json<{ number: number }>('POST', `${here}/pulls`, theirs)
  await person.merge(byPerson)
  const asVictim = giteaPerson(service.gitea.url, person.repository, victim.token)
  const told = async () =>
    (await asVictim.json<{ subject: { url: string } }[]>('GET', '/notifications?all=true')).map(({ subject }) =>
      Number(subject.url.split('/').at(-1)),
    )
  const stateOf = async (of: { number: number }) =>
    (await person.json<{ state: string }>('GET', `${here}/issues/${of.number}`)).state
  const giveUpAt = Date.now() + 15_000
  while (!((await told()).includes(byPerson) && (await stateOf(control)) === 'closed') && Date.now() < giveUpAt)
    await sleep(200)
  check((await stateOf(control)) === 'closed', 'the words of a person close an issue')
  check((await told()).includes(byPerson), 'and tell the one they mention')
  check((await stateOf(safe)) === 'open', 'those of the agent close nothing')
  check(!(await told()).includes(number), 'and mention nobody')
  const timeline = await person.json<{ type: string }[] | null>('GET', `${here}/issues/${safe.number}/timeline`)
  check((timeline ?? []).length === 0, `nor is the issue touched: ${JSON.stringify(timeline)}`)
  return 'nobody is mentioned, nothing closed, loaded, skipped or signed'
}
