/**
 * Somebody new, with a browser, a repository and a model, goes from an empty database to a merged pull request and to counted
 * views of a person and of an AI, by what the pages show and nothing else. Then every page is looked at.
 *
 * `-- --host github`: the repository is on the stand-in for GitHub, and the way in an App; without, it is on Gitea. At the
 * small size, and without the words, both are played: the second until the pull request is merged.
 */
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { githubControl } from '../dev-services/github/github-control.ts'
import { openChromium } from './kit/dashboard/cold-visit.ts'
import { docsSite } from './kit/dashboard/docs-site.ts'
import { type EmptyService, emptyService } from './kit/dashboard/empty-service.ts'
import { hostileJob } from './kit/dashboard/hostile-job.ts'
import { Newcomer } from './kit/dashboard/newcomer.ts'
import { isAboutRefusal, type Stop, startTour, type Tour } from './kit/dashboard/tour.ts'
import { type WatchedTab, watchedTab } from './kit/dashboard/watched-browser.ts'
import type { FindWayIn, Scene as SceneOfWayIn, WayIn } from './kit/dashboard/way-in.ts'
import { giteaWayIn } from './kit/dashboard/way-in-gitea.ts'
import { githubWayIn } from './kit/dashboard/way-in-github.ts'
import type { ProofRun } from './proof.ts'

export const promise = 'Ten minutes from nothing to the first merged pull request and the first counted views'

const checkout = join(import.meta.dirname, '..')
const runCommand = promisify(execFile)
const owner = { name: 'Robin Doe', email: 'robin@example.com', password: 'correct horse battery staple' }

interface Scene extends SceneOfWayIn {
  browser: Browser
  tab: WatchedTab
  wayIn: WayIn
}

export async function prove(run: ProofRun): Promise<void> {
  const { host } = parseArgs({ args: [...run.words], options: { host: { type: 'string' } } }).values
  if (host !== undefined && host !== 'gitea' && host !== 'github') throw new Error('--host is gitea or github')
  const browser = await openChromium()
  run.cleanUp(() => browser.close())
  await play(run, browser, host === 'github' ? githubWayIn : giteaWayIn, goAllTheWay)
  if (run.size === 'ci' && host === undefined) await play(run, browser, githubWayIn, goUntilMerged)
}

type Stage = Omit<Scene, 'projectPath' | 'look'>

async function play(
  run: ProofRun,
  browser: Browser,
  findWayIn: FindWayIn,
  go: (stage: Stage, tour: Tour) => Promise<void>,
): Promise<void> {
  const service = await emptyService(run, 'first_ten_minutes')
  const github = githubControl(service.github)
  const violationsBefore = (await github.violations()).length
  const wayIn = await findWayIn(run, service)
  const { origin } = service
  const tab = await watchedTab(browser, origin, { look: 'light', screen: 'desktop', hostUrl: wayIn.url })
  const newcomer = new Newcomer(tab.page, origin)
  const pictures = mkdtempSync(join(tmpdir(), 'colophon-pictures-'))
  const tour = startTour(run, { browser, origin, context: tab.context, hostUrl: wayIn.url, pictures })
  try {
    await go({ run, service, browser, tab, newcomer, wayIn }, tour)
  } catch (error) {
    await tab.page.screenshot({ path: join(pictures, 'where-it-ended.png'), fullPage: true })
    run.say(`where it ended: ${join(pictures, 'where-it-ended.png')}`)
    throw error
  }
  run.check(tab.elsewhere.length === 0, `no page asked another origin: ${tab.elsewhere.join(', ')}`)
  const own = tab.complaints.filter((text) => !isAboutRefusal(text)) // what was refused on purpose
  run.check(own.length === 0, `the browser had nothing to complain about: ${own.join('; ')}`)
  const violations = (await github.violations()).slice(violationsBefore)
  run.check(violations.length === 0, `every call fits GitHub's description: ${JSON.stringify(violations[0])}`)
}

async function goAllTheWay(stage: Stage, { look, end }: Tour): Promise<void> {
  const { run, wayIn } = stage
  const startedAt = performance.now()
  const scene = await untilMerged(stage, look)
  const apiKey = await makeKey(scene)
  await countViews(scene, apiKey)
  const minutes = (performance.now() - startedAt) / 60_000
  run.check(minutes < 10, `it took ${minutes.toFixed(1)} minutes`)
  run.figure('minutes from the first link to all steps done', minutes.toFixed(1))

  await cookiesAndHeaders(scene)
  const jobPath = await hostileJob(scene)
  await lookAround(scene, jobPath)
  await wayIn.lookAround(scene)
  end()
}

async function goUntilMerged(stage: Stage): Promise<void> {
  const startedAt = performance.now()
  await untilMerged(stage, async () => {})
  const minutes = (performance.now() - startedAt) / 60_000
  stage.run.figure(`minutes until the pull request on ${stage.wayIn.hostName} is merged`, minutes.toFixed(1))
}

async function untilMerged(stage: Stage, look: Tour['look']): Promise<Scene> {
  const { run, service, tab, newcomer } = stage
  await becomeOwner(run, service, newcomer)
  const scene: Scene = { ...stage, projectPath: new URL(tab.page.url()).pathname, look }
  await connectRepository(scene)
  await chooseModel(scene)
  await startRunner(scene)
  await firstPullRequest(scene)
  return scene
}

async function becomeOwner(run: ProofRun, service: EmptyService, newcomer: Newcomer): Promise<void> {
  await newcomer.open('/')
  await newcomer.seeHeading('Welcome to Colophon') // nobody is there yet, and the page says what to do
  await newcomer.open(await service.ownerLink())
  await newcomer.fill('Name', owner.name)
  await newcomer.fill('Email', owner.email)
  await newcomer.fill('Password', owner.password)
  await newcomer.press('Make the account')
  await newcomer.fill('Project name', 'Handbook')
  await newcomer.press('Make project')
  await newcomer.see('Your first pull request')
  run.say('an owner, and a project')
}

async function backToChecklist({ newcomer }: Scene): Promise<void> {
  await newcomer.follow('Get started')
}

async function connectRepository(scene: Scene): Promise<void> {
  const { newcomer, wayIn } = scene
  await newcomer.follow('Connect a repository')
  await wayIn.connect(scene)
  await backToChecklist(scene)
  await newcomer.seeDone('Connect a repository')
}

async function chooseModel(scene: Scene): Promise<void> {
  const { run, service, newcomer } = scene
  await newcomer.follow('Choose a model')
  await newcomer.press('Add a model')
  await newcomer.fill('Address', `${service.modelUrl}/v1`)
  await newcomer.fill('Model', 'scripted')
  await newcomer.fill('Key', 'any-key-will-do')
  await newcomer.press('Test model')
  await newcomer.see('The model answers')
  await newcomer.press('Save model')
  await newcomer.see('scripted is there for all projects.')
  await backToChecklist(scene)
  await newcomer.seeDone('Choose a model')
  run.say('a model')
}

async function startRunner(scene: Scene): Promise<void> {
  const { run, service, newcomer } = scene
  await newcomer.follow('Start a runner')
  await newcomer.fill('Name', 'my own machine')
  await newcomer.press('Make runner')
  await newcomer.see('The token of my own machine')
  const command = await newcomer.page.locator('pre', { hasText: 'colophon-server.ts runner' }).textContent()
  // As it stands on the page; beside others on this machine it needs a port of its own, and a newcomer's has it free.
  const runner = spawn('sh', ['-c', `COLOPHON_RUNNER_LISTEN=127.0.0.1:0 exec env ${command}`], {
    cwd: checkout,
    env: { PATH: process.env.PATH },
    stdio: 'ignore',
  })
  run.cleanUp(async () => void runner.kill('SIGTERM'))
  await backToChecklist(scene)
  await newcomer.seeDone('Start a runner')
  run.say(`a runner, by the command on the page, with a gateway of its own in ${service.directory}`)
}

async function firstPullRequest(scene: Scene): Promise<void> {
  const { run, newcomer, wayIn } = scene
  await newcomer.openStep('Post the first job')
  await newcomer.fill('Instruction', 'Say hello in docs/index.md')
  await newcomer.press('Post the job')
  await newcomer.seeDone('See the pull request')
  await newcomer.openStep('See the pull request')
  const link = newcomer.page.getByRole('link', { name: 'Open the pull request' })
  const { pathname } = new URL((await link.getAttribute('href')) ?? '')
  const number = Number(pathname.split('/').at(-1))
  run.say(`a pull request: ${pathname}`)
  await wayIn.reviewAndMerge(scene, number)
  await newcomer.seeDone('Merge it')
  run.check(await wayIn.isMerged(number), `the pull request is merged on ${wayIn.hostName}`)
  run.check((await wayIn.readPage('docs/index.md')).includes('hello'), 'what was asked for is on the base branch')
  run.say('merged')
}

async function makeKey(scene: Scene): Promise<string> {
  const { run, newcomer } = scene
  await newcomer.follow('API keys')
  await newcomer.press('Make a key')
  await newcomer.fill('Name', 'docs server')
  await newcomer.page.getByRole('dialog').getByRole('button', { name: 'Make the key' }).click()
  await newcomer.see('Copy it now')
  const apiKey = await newcomer.page.getByRole('textbox', { name: 'The key' }).inputValue()
  run.check(/^colophon_\w{38}$/.test(apiKey), 'the key is shown, once')
  await newcomer.tick('I have it in a safe place')
  await newcomer.press('Done')
  await backToChecklist(scene)
  await newcomer.seeDone('Make an API key')
  run.say('an API key')
  return apiKey
}

async function countViews(scene: Scene, apiKey: string): Promise<void> {
  const { run, browser, newcomer } = scene
  await newcomer.openStep('Count a human view')
  const make = newcomer.page.getByRole('button', { name: 'Make a site key' })
  const tag = newcomer.page.getByRole('region', { name: 'the script tag' })
  await make.or(tag).first().waitFor()
  if (await make.isVisible()) await make.click()
  const site = await docsSite(await newcomer.copied('the script tag'))
  run.cleanUp(site.stop)
  // As the same browser with a window calls itself: one without is taken for a machine, and is none of the people.
  const userAgent = (await newcomer.page.evaluate<string>('navigator.userAgent')).replace('Headless', '')
  const reader = await browser.newPage({ userAgent })
  await reader.goto(`${site.url}/install/`)
  await newcomer.seeDone('Count a human view')
  await reader.close()
  await newcomer.openStep('Count an AI view')
  const line = await newcomer.copied('the curl line')
  await runCommand('sh', ['-c', line], { env: { PATH: process.env.PATH, COLOPHON_API_KEY: apiKey } })
  // All is done: the checklist makes room for what goes on, and says nothing of steps that are left.
  await newcomer.page.getByRole('button', { name: 'Show the checklist', exact: true }).waitFor()
  await newcomer.follow('Overview')
  await newcomer.seeHeading('Analytics')
  run.say('a view of a person, by the script tag; one of an AI, by the line')
}

async function cookiesAndHeaders({ run, service, tab }: Scene): Promise<void> {
  const cookies = await tab.context.cookies(service.origin)
  run.check(cookies.length > 0, 'there is a cookie')
  for (const { name, httpOnly, secure, sameSite } of cookies)
    run.check(httpOnly && secure && sameSite === 'Lax', `the cookie ${name} is HttpOnly, Secure and SameSite`)
  for (const path of ['/', '/sign-in', '/projects/x', '/reference']) {
    const policy = (await fetch(service.origin + path)).headers.get('content-security-policy') ?? ''
    const isStrict = policy.includes("default-src 'none'") && !policy.includes('unsafe') && !policy.includes('*')
    run.check(isStrict && policy.includes("frame-ancestors 'none'"), `${path} has a strict policy: ${policy}`)
  }
}

async function lookAround({ newcomer, look, projectPath }: Scene, jobPath: string): Promise<void> {
  await newcomer.open(`${projectPath}/settings/members`)
  await newcomer.fill('Email address', 'writer@example.com')
  await newcomer.press('Invite')
  const invitation =
    (await newcomer.page
      .getByText(/\/invitation#/)
      .first()
      .textContent()) ?? ''
  const inProject = (name: string, path: string, heading: string | RegExp): Stop => ({
    name,
    path: `${projectPath}${path}`,
    heading,
  })
  await look([
    { name: 'sign-in', path: '/sign-in', heading: /sign in/i, isForAnybody: true },
    {
      name: 'invitation',
      path: new URL(invitation).pathname + new URL(invitation).hash,
      heading: /./,
      isForAnybody: true,
    },
    { name: 'new-password', path: '/new-password#x', heading: /./, isForAnybody: true },
    { name: 'status', path: '/status', heading: /./, isForAnybody: true },
    { name: 'reference', path: '/reference', heading: /./, isForAnybody: true },
    { name: 'projects', path: '/', heading: 'Projects' },
    { name: 'account', path: '/account', heading: 'Account' },
    { name: 'github-app-made', path: '/github/app-made', heading: 'The GitHub App' },
    { name: 'github-installed', path: '/github/installed', heading: 'Choose a repository' },
    { name: 'no-such-page', path: '/projects/prj_x', heading: /No such/ },
    inProject('start', '', 'Handbook'),
    inProject('jobs', '/jobs', 'Jobs'),
    inProject('new-job', '/jobs/new', 'New job'),
    { name: 'job', path: jobPath, heading: /./ },
    inProject('analytics', '/analytics', 'Analytics'),
    inProject('analytics-page', '/analytics/page?path=%2Finstall', /install/),
    inProject('analytics-clients', '/analytics/clients', 'Clients'),
    inProject('analytics-sources', '/analytics/sources', 'Sources'),
    inProject('keys', '/keys', 'API keys'),
    ...['repository', 'agent', 'models', 'views', 'members', 'runners', 'audit', 'health'].map((page) =>
      inProject(`settings-${page}`, `/settings/${page}`, /./),
    ),
  ])
}
