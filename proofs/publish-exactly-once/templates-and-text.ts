/** A project's templates, labels, reviewers and webhook; and agent text that tries to trigger actions on the host. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createGiteaUserClient } from '../../testing/harness/hosts/gitea-user-client.ts'
import { listJobPullRequests } from '../../testing/harness/hosts/host-user-client.ts'
import { createScript, type ProjectOnHost, pullRequestPollSeconds, type ScenarioContext } from './fixture.ts'

export async function publishingSettingsScenario(context: ScenarioContext): Promise<string> {
  const { check } = context
  const created = await context.createRepository()
  const { name: reviewer } = await created.repository.invite('write')
  const label = await created.repository.existingLabel()
  const publishing = {
    branchTemplate: 'docs/{jobId}',
    titleTemplate: 'docs: {title}',
    bodyTemplate: 'Please review.\n\n{summary}\n',
    labels: [label, 'no such label'],
    reviewers: [reviewer],
    draft: true,
    signOff: true,
  }
  const project = await context.connect({ repository: created, publishing, hasWebhook: true })
  const { person } = project
  const jobs = await context.watchJobs(project)
  const first = createScript(project, { title: 'Explain the proxy' })
  const { id } = await jobs.createAccepted(first.prompt)
  const job = await jobs.waitUntilEnded(id)
  const [opened, ...more] = await listJobPullRequests(person, id)
  check(opened !== undefined && more.length === 0 && job.prLink === opened.url, 'the job has one pull request')
  if (!opened) return 'no pull request'
  check(opened.branch === `docs/${id}`, `the branch follows its template, got ${opened.branch}`)
  check(
    opened.title.endsWith('docs: Explain the proxy') && opened.isDraft,
    `the pull request is a draft with a title by template, got ${opened.title}`,
  )
  check(
    opened.body.startsWith(`Please review.\n\n`) && opened.body.includes(first.summary),
    `the body follows its template, got ${opened.body}`,
  )
  check(opened.labels.join() === label, 'the pull request has exactly the labels that exist')
  check(opened.reviewers.join() === reviewer, 'the review of the configured reviewer is requested')
  const [commit] = await person.pullRequestCommits(opened.number)
  const signOff = /\nSigned-off-by: Colophon <colophon@localhost.invalid>$/
  check(signOff.test(commit?.message.trim() ?? ''), `the commit is signed off, got ${commit?.message}`)

  // A label that a person removed stays removed, and a draft that they marked as ready stays ready.
  await person.removeLabel(opened.number, label)
  await person.markReady(opened.number)
  await jobs.followUp(id, createScript(project).prompt)
  await jobs.waitUntilEnded(id)
  const followed = await person.pullRequest(opened.number)
  check(
    !followed.isDraft && followed.title === 'docs: Explain the proxy',
    `the pull request stays ready for review, got ${followed.title}`,
  )
  check(followed.labels.length === 0, 'a removed label stays removed')

  await sleep(1_500) // the first poll after publishing is over: from here on only the webhook can report the merge
  const mergedAt = Date.now()
  await person.merge(opened.number)
  await jobs.waitUntil(id, 'the pull request is merged', ({ pullRequest }) => pullRequest?.state === 'merged')
  const noticedMs = Date.now() - mergedAt
  check(
    noticedMs < (pullRequestPollSeconds * 1000) / 2,
    `the merge is noticed by webhook, before the next poll, took ${noticedMs} ms`,
  )
  const { path, headers, body } = context.forgedWebhook(project.projectId, opened.number)
  const forged = await fetch(context.api.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  check(forged.status === 401, `a forged webhook gets 401, got ${forged.status}`)
  return `templates, label, reviewer, draft, sign-off; merge noticed by webhook after ${noticedMs} ms`
}

/** Everything that hosts act on, in title and summary, is inactive in the title, body and commits. */
export async function neutralizesAgentTextScenario(context: ScenarioContext): Promise<string> {
  const { check } = context
  const project = await context.connect()
  const { person, repository } = project
  const { name: victim } = await repository.invite('write')
  const { number, pullRequest } = await publishActiveText(context, project, victim, 1)
  check(!pullRequest.isDraft, `the title does not turn the pull request into a draft, got ${pullRequest.title}`)
  check(!pullRequest.body.includes(`@${victim}`), `the body mentions no user, got ${pullRequest.body}`)
  check(!/(?<!\\)<img|!\[/.test(pullRequest.body), `the body has no images, got ${pullRequest.body}`)
  for (const { message } of await person.pullRequestCommits(number)) {
    const trailers = message.trim().split('\n\n').at(-1) ?? ''
    check(/^Colophon-Job: \w+$/.test(trailers), `the only trailer is Colophon-Job, got ${trailers}`)
    check(
      !/^(co-authored|signed-off)-by:/im.test(message),
      `the commit message has no trailer by the agent, got ${message}`,
    )
    check(!/\[skip ci\]/i.test(message), `the commit message does not skip CI, got ${message}`)
  }
  return 'no draft, mention, image, skipped CI or forged trailer'
}

async function publishActiveText(context: ScenarioContext, project: ProjectOnHost, victim: string, issue: number) {
  const jobs = await context.watchJobs(project)
  const title = `WIP: closes #${issue} for @${victim} [skip ci]`
  const summary = activeText(project.person.repository, victim, issue)
  const { id } = await jobs.createAccepted(createScript(project, { title, summary }).prompt)
  const number = (await jobs.waitUntilEnded(id)).pullRequest?.number ?? 0
  return { number, pullRequest: await project.person.pullRequest(number) }
}

const activeText = (repository: string, victim: string, issue: number) =>
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

/** The same on the real Gitea, which acts on such text: a person's text takes effect, the agent's does not. */
export async function neutralizesTextOnGiteaScenario(context: ScenarioContext): Promise<string> {
  const { check, colophon } = context
  const project = await context.connect()
  const { person, repository } = project
  const { url, adminToken } = colophon.addresses.gitea
  const gitea = createGiteaUserClient(url, person.repository, adminToken)
  const { name: victim, token: victimToken } = await repository.invite('write')
  const repositoryPath = `/repos/${person.repository}`
  const createIssue = () =>
    gitea.json<{ number: number; state: string }>('POST', `${repositoryPath}/issues`, { title: 'A bug' })
  const target = await createIssue()
  const control = await createIssue()
  const { number, pullRequest } = await publishActiveText(context, project, victim, target.number)
  const html = await gitea.text('POST', '/markdown', {
    Text: pullRequest.body,
    Mode: 'comment',
    Context: person.repository,
  })
  const tags = html.match(/<[^>]*>/g) ?? []
  check(
    !tags.some((tag) => /^<(img|a|iframe|svg)\b|\s(src|href|on\w+)=|mention|ref-/.test(tag)),
    `the rendered body has no images, links or mentions, got ${html}`,
  )
  await person.merge(number)

  // The same text by a person, as a control: it takes effect on this host, and the checks below would notice it.
  await person.push('main', 'docs/by-a-person.md', 'One.\n')
  await gitea.json('POST', `${repositoryPath}/branches`, { new_branch_name: 'by-a-person', old_branch_name: 'main' })
  await person.push('by-a-person', 'docs/by-a-person.md', 'Two.\n')
  const body = activeText(person.repository, victim, control.number)
  const pullRequestInput = { head: 'by-a-person', base: 'main', title: 'By a person', body }
  const { number: byPerson } = await gitea.json<{ number: number }>('POST', `${repositoryPath}/pulls`, pullRequestInput)
  await person.merge(byPerson)
  const asVictim = createGiteaUserClient(url, person.repository, victimToken)
  const notifiedNumbers = async () =>
    (await asVictim.json<{ subject: { url: string } }[]>('GET', '/notifications?all=true')).map(({ subject }) =>
      Number(subject.url.split('/').at(-1)),
    )
  const stateOf = async (issue: { number: number }) =>
    (await gitea.json<{ state: string }>('GET', `${repositoryPath}/issues/${issue.number}`)).state
  const deadline = Date.now() + 15_000
  while (
    !((await notifiedNumbers()).includes(byPerson) && (await stateOf(control)) === 'closed') &&
    Date.now() < deadline
  )
    await sleep(200)
  check((await stateOf(control)) === 'closed', "a person's text closes the control issue")
  check((await notifiedNumbers()).includes(byPerson), "a person's text notifies the mentioned user")
  check((await stateOf(target)) === 'open', "the agent's text leaves the issue open")
  check(!(await notifiedNumbers()).includes(number), "the agent's text notifies no user")
  const timeline = await gitea.json<{ type: string }[] | null>(
    'GET',
    `${repositoryPath}/issues/${target.number}/timeline`,
  )
  check((timeline ?? []).length === 0, `the issue's timeline is empty, got ${JSON.stringify(timeline)}`)
  return 'no mention, closed issue, image or link'
}
