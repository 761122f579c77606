/** Checks, previews and comments on a job's pull request on GitHub, and how the job's page shows them. */
import type { GithubControl } from '@colophon/github-simulator/control'
import type { OnboardingContext } from './host-steps.ts'
import type { Newcomer } from './newcomer.ts'

interface Repository {
  id: number
  control: GithubControl
}

const previewUrl = 'https://preview.example.com/handbook/'
const log = `Reading 3 pages
docs/guide/start.md:3: there is no page at ../settings.md
1 page has dead links
`

/** Reports a failed check, a passed one, one in progress, and a preview for the pull request's current head. */
async function reportChecks({ id, control }: Repository, number: number): Promise<void> {
  const head = (await control.pullRequests(id)).find((pullRequest) => pullRequest.number === number)?.headSha
  if (head === undefined) throw new Error(`There is no pull request ${number}.`)
  await control.setCheckRun(id, head, {
    name: 'links',
    status: 'completed',
    conclusion: 'failure',
    log,
    output: { title: '1 page has dead links', summary: 'See the log.' },
  })
  await control.setCheckRun(id, head, { name: 'build', status: 'in_progress' })
  await control.setStatus(id, head, { context: 'spelling', state: 'success', description: 'No mistakes' })
  await control.setDeployment(id, head, { environmentUrl: previewUrl })
}

/** From the checklist to the job's page: sends a failed check to the agent, and then a comment on the pull request. */
export async function sendFeedbackToAgent(
  { run, newcomer }: OnboardingContext,
  repository: Repository,
  { number, login }: { number: number; login: string },
): Promise<void> {
  await reportChecks(repository, number)
  await newcomer.openStep('Create your first job')
  await newcomer.follow('View job')
  await newcomer.reloadUntil('links: failed')
  await newcomer.see('spelling: passed')
  await newcomer.see('build: pending')
  const preview = newcomer.page.getByRole('link', { name: 'Preview site' })
  run.check((await preview.getAttribute('href')) === previewUrl, 'the job page links to the preview of the site')
  await newcomer.page.getByText('Log', { exact: true }).click()
  await newcomer.see('there is no page at ../settings.md')

  await newcomer.press('Send to agent: links')
  // Only the log names the page.
  await checkResponse(newcomer, 2, 'Includes the output of the failed check “links”', 'docs/guide/start.md')
  run.log('failed check sent to the agent with its log')

  await repository.control.comment(repository.id, number, login, '@colophon Say goodbye in docs/index.md')
  await newcomer.reloadUntil('Message 3')
  await checkResponse(newcomer, 3, `by ${login}`, 'docs/index.md')
  run.log('comment on the pull request sent to the agent')
}

/** Checks the message, its origin, the page that the agent changed for it, and that the job completed. */
async function checkResponse({ page }: Newcomer, message: number, origin: string, changed: string): Promise<void> {
  const turn = page.getByRole('region', { name: `Message ${message}`, exact: true })
  await turn.getByText(origin).waitFor()
  await turn.getByText(`Changes ${changed} as requested`).first().waitFor()
  await page.getByText('Completed', { exact: true }).first().waitFor()
}

/** Creates a job whose pull request has conflicts, failed checks and comments. Returns the path of its page. */
export async function createJobWithFailedChecks(
  { newcomer, projectPath }: OnboardingContext,
  repository: Repository,
  login: string,
): Promise<string> {
  const { id, control } = repository
  await newcomer.open(`${projectPath}/jobs/new`)
  await newcomer.fill('What should the agent do?', 'Explain in docs/guide/start.md what to install first')
  await newcomer.press('Create job')
  await newcomer.page.waitForURL(/\/jobs\/job_/)
  await newcomer.page.getByText('Completed', { exact: true }).first().waitFor()
  const number = (await control.pullRequests(id)).at(-1)?.number ?? 0
  await control.comment(id, number, login, '@colophon Name the version, too, in docs/guide/start.md')
  await newcomer.reloadUntil('Message 2')
  await checkResponse(newcomer, 2, `by ${login}`, 'docs/guide/start.md')
  await control.pushFile(id, 'main', 'docs/guide/start.md', '# Start\n\nChanged by someone else first.\n')
  await reportChecks(repository, number)
  await newcomer.reloadUntil('Conflicts with main')
  await newcomer.reloadUntil('links: failed')
  return new URL(newcomer.page.url()).pathname
}
