/** What others say on GitHub about a job's pull request, and what the job's page makes of it. */
import type { GithubControl } from '../../../dev-services/github/github-control.ts'
import type { Newcomer } from './newcomer.ts'
import type { Scene } from './way-in.ts'

interface Repository {
  id: number
  control: GithubControl
}

const previewUrl = 'https://preview.example.com/handbook/'
const log = `Reading 3 pages
docs/guide/start.md:3: there is no page at ../settings.md
1 page has dead links
`

/** A check that failed, one that passed, one under way, and a preview, of the pull request as it is now. */
async function reportOn({ id, control }: Repository, number: number): Promise<void> {
  const head = (await control.pullRequests(id)).find((one) => one.number === number)?.headSha
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

/** From the checklist to the job's page: a failed check is sent to the agent, and a comment of the owner's reaches it. */
export async function giveNews(
  { run, newcomer }: Scene,
  repository: Repository,
  { number, login }: { number: number; login: string },
): Promise<void> {
  await reportOn(repository, number)
  await newcomer.openStep('Post the first job')
  await newcomer.follow('Follow the job')
  await newcomer.reloadUntil('links: failed')
  await newcomer.see('spelling: passed')
  await newcomer.see('build: not done yet')
  const preview = newcomer.page.getByRole('link', { name: 'Preview of the site' })
  run.check((await preview.getAttribute('href')) === previewUrl, 'the job leads to the preview of the site')
  await newcomer.page.getByText('Log', { exact: true }).click()
  await newcomer.see('there is no page at ../settings.md')

  await newcomer.press('Send to the agent: links')
  // The page is named in the log alone.
  await checkResponse(newcomer, 2, 'With what the check “links” said', 'docs/guide/start.md')
  run.say('a failed check went to the agent with its log')

  await repository.control.comment(repository.id, number, login, '@colophon Say goodbye in docs/index.md')
  await newcomer.reloadUntil('Message 3')
  await checkResponse(newcomer, 3, `by ${login}`, 'docs/index.md')
  run.say('so did a comment on the pull request')
}

/** The message, what it came with, which page the agent changed for it; and that it is published. */
async function checkResponse({ page }: Newcomer, message: number, cameWith: string, changed: string): Promise<void> {
  const turn = page.getByRole('region', { name: `Message ${message}`, exact: true })
  await turn.getByText(cameWith).waitFor()
  await turn.getByText(`Changes ${changed} as asked`).first().waitFor()
  await page.getByText('Done', { exact: true }).first().waitFor()
}

/** Another job, whose pull request is in every kind of fault. Returns the address of its page. */
export async function failingJob(
  { newcomer, projectPath }: Scene,
  repository: Repository,
  login: string,
): Promise<string> {
  const { id, control } = repository
  await newcomer.open(`${projectPath}/jobs/new`)
  await newcomer.fill('What should the agent do?', 'Explain in docs/guide/start.md what to install first')
  await newcomer.press('Start the job')
  await newcomer.page.waitForURL(/\/jobs\/job_/)
  await newcomer.page.getByText('Done', { exact: true }).first().waitFor()
  const number = (await control.pullRequests(id)).at(-1)?.number ?? 0
  await control.comment(id, number, login, '@colophon Name the version, too, in docs/guide/start.md')
  await newcomer.reloadUntil('Message 2')
  await checkResponse(newcomer, 2, `by ${login}`, 'docs/guide/start.md')
  await control.pushFile(id, 'main', 'docs/guide/start.md', '# Start\n\nSomebody else was here first.\n')
  await reportOn(repository, number)
  await newcomer.reloadUntil('Conflicts with main')
  await newcomer.reloadUntil('links: failed')
  return new URL(newcomer.page.url()).pathname
}
