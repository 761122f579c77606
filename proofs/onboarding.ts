/**
 * A newcomer with a browser, a repository and a model goes from an empty database to a merged pull request and to a counted human
 * view and AI view, guided only by the pages of the dashboard. Then every page is captured and inspected.
 *
 * `-- --host github`: the repository is on the GitHub simulator and is connected through a GitHub App. Default: on Gitea. At the
 * small size without arguments, both run, GitHub only until the pull request is merged.
 */
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { createGithubControlClient } from '@colophon/github-simulator/control'
import type { Browser } from 'playwright-core'
import { approveHeldResult } from './onboarding/approval-steps.ts'
import { openChromium } from './onboarding/cold-load.ts'
import { startDocsSite } from './onboarding/docs-site.ts'
import { type FreshInstance, startFreshInstance } from './onboarding/fresh-instance.ts'
import { createGiteaSteps } from './onboarding/gitea-steps.ts'
import { createGithubSteps } from './onboarding/github-steps.ts'
import type { CreateHostSteps, HostSteps, OnboardingContext } from './onboarding/host-steps.ts'
import { runHostileJob } from './onboarding/hostile-job.ts'
import { type MonitoredTab, openMonitoredTab } from './onboarding/monitored-tab.ts'
import { Newcomer } from './onboarding/newcomer.ts'
import {
  createPageChecker,
  isRejectedRequestError,
  type OnboardingPageChecker,
  type PageToCheck,
} from './onboarding/onboarding-page-checker.ts'
import type { ProofRun } from './proof.ts'

export const guarantee =
  'A newcomer gets from an empty instance to a merged pull request and counted views in ten minutes'

const checkout = join(import.meta.dirname, '..')
const runCommand = promisify(execFile)
const owner = { name: 'Robin Doe', email: 'robin@example.com', password: 'correct horse battery staple' }

interface Context extends OnboardingContext {
  browser: Browser
  tab: MonitoredTab
  hostSteps: HostSteps
}

export async function prove(run: ProofRun): Promise<void> {
  const { host } = parseArgs({ args: [...run.args], options: { host: { type: 'string' } } }).values
  if (host !== undefined && host !== 'gitea' && host !== 'github') throw new Error('--host must be gitea or github')
  const browser = await openChromium()
  run.cleanUp(() => browser.close())
  const complete = runOnboarding(
    run,
    browser,
    host === 'github' ? createGithubSteps : createGiteaSteps,
    completeOnboarding,
  )
  const untilMerged =
    run.size === 'ci' && host === undefined && runOnboarding(run, browser, createGithubSteps, onboardUntilMerged)
  await Promise.all([complete, untilMerged])
}

type InitialContext = Omit<Context, 'projectPath' | 'capture'>

async function runOnboarding(
  run: ProofRun,
  browser: Browser,
  createHostSteps: CreateHostSteps,
  steps: (initial: InitialContext, pageCapture: OnboardingPageChecker) => Promise<void>,
): Promise<void> {
  const colophon = await startFreshInstance(run, 'onboarding')
  const github = createGithubControlClient(colophon.addresses.github)
  const violationsBefore = (await github.violations()).length
  const hostSteps = await createHostSteps(run, colophon)
  const { origin } = colophon
  const tab = await openMonitoredTab(browser, origin, {
    colorScheme: 'light',
    screen: 'desktop',
    hostUrl: hostSteps.url,
  })
  const newcomer = new Newcomer(tab.page, origin)
  const pictures = mkdtempSync(join(tmpdir(), 'colophon-pictures-'))
  const pageCapture = createPageChecker(run, {
    browser,
    origin,
    context: tab.context,
    hostUrl: hostSteps.url,
    screenshotDirectory: pictures,
  })
  try {
    await steps({ run, colophon, browser, tab, newcomer, hostSteps }, pageCapture)
  } catch (error) {
    await tab.page.screenshot({ path: join(pictures, 'failure.png'), fullPage: true })
    run.log(`screenshot of the failure: ${join(pictures, 'failure.png')}`)
    throw error
  }
  run.check(
    tab.externalRequests.length === 0,
    `no page sends a request to another origin: ${tab.externalRequests.join(', ')}`,
  )
  const unexpectedErrors = tab.browserErrors.filter((text) => !isRejectedRequestError(text)) // without deliberate rejections
  run.check(unexpectedErrors.length === 0, `the browser reports no errors: ${unexpectedErrors.join('; ')}`)
  const violations = (await github.violations()).slice(violationsBefore)
  run.check(
    violations.length === 0,
    `every call conforms to GitHub's OpenAPI description: ${JSON.stringify(violations[0])}`,
  )
}

async function completeOnboarding(initial: InitialContext, { capture, report }: OnboardingPageChecker): Promise<void> {
  const { run, hostSteps } = initial
  const startedAt = performance.now()
  const context = await goUntilMerged(initial, capture)
  const apiKey = await createApiKey(context)
  await countViews(context, apiKey)
  const minutes = (performance.now() - startedAt) / 60_000
  run.check(minutes < 10, `onboarding takes less than 10 minutes: ${minutes.toFixed(1)}`)
  run.figure('time from the first link to the last step', `${minutes.toFixed(1)} min`)

  await checkCookiesAndHeaders(context)
  const jobPath = await runHostileJob(context)
  await approveHeldResult(context)
  await capturePages(context, jobPath)
  await hostSteps.captureHostPages(context)
  report()
}

async function onboardUntilMerged(initial: InitialContext): Promise<void> {
  const startedAt = performance.now()
  await goUntilMerged(initial, async () => {})
  const minutes = (performance.now() - startedAt) / 60_000
  initial.run.figure(
    `time until the pull request on ${initial.hostSteps.hostName} is merged`,
    `${minutes.toFixed(1)} min`,
  )
}

async function goUntilMerged(initial: InitialContext, capture: OnboardingPageChecker['capture']): Promise<Context> {
  const { run, colophon, tab, newcomer } = initial
  await becomeOwner(run, colophon, newcomer)
  const context: Context = { ...initial, projectPath: new URL(tab.page.url()).pathname, capture }
  await connectRepository(context)
  await chooseModel(context)
  await startRunner(context)
  await firstPullRequest(context)
  return context
}

async function becomeOwner(run: ProofRun, colophon: FreshInstance, newcomer: Newcomer): Promise<void> {
  await newcomer.open('/')
  await newcomer.seeHeading('Welcome to Colophon') // there is no owner yet, and the page says what to do
  await newcomer.open(await colophon.ownerLink())
  await newcomer.fill('Name', owner.name)
  await newcomer.fill('Email', owner.email)
  await newcomer.fill('Password', owner.password)
  await newcomer.press('Create account')
  await newcomer.fill('Project name', 'Handbook')
  await newcomer.press('Create project')
  await newcomer.see('Your first pull request')
  run.log('owner and project created')
}

async function backToChecklist({ newcomer }: Context): Promise<void> {
  await newcomer.follow('Get started')
}

async function connectRepository(context: Context): Promise<void> {
  const { newcomer, hostSteps } = context
  await newcomer.follow('Connect a repository')
  await hostSteps.connect(context)
  await backToChecklist(context)
  await newcomer.seeDone('Connect a repository')
}

async function chooseModel(context: Context): Promise<void> {
  const { run, colophon, newcomer } = context
  await newcomer.follow('Choose a model')
  await newcomer.press('Add model')
  await newcomer.fill('Base URL', `${colophon.addresses.modelUrl}/v1`)
  await newcomer.fill('Model', 'scripted')
  await newcomer.fill('API key', 'any-key-will-do')
  await newcomer.press('Test model')
  await newcomer.see('The model works')
  await newcomer.press('Save model')
  await newcomer.see('scripted added. All projects can use it.')
  await backToChecklist(context)
  await newcomer.seeDone('Choose a model')
  run.log('model added')
}

async function startRunner(context: Context): Promise<void> {
  const { run, colophon, newcomer } = context
  await newcomer.follow('Start a runner')
  await newcomer.fill('Name', 'my own machine')
  await newcomer.press('Create runner')
  await newcomer.see('Token for my own machine')
  const command = await newcomer.copied('runner command')
  // The command as shown on the page. Here it needs another port, because other processes share this machine.
  const runner = spawn('sh', ['-c', `COLOPHON_RUNNER_LISTEN=127.0.0.1:0 exec env ${command}`], {
    cwd: checkout,
    env: { PATH: process.env.PATH },
    stdio: 'ignore',
  })
  run.cleanUp(async () => void runner.kill('SIGTERM'))
  await backToChecklist(context)
  await newcomer.seeDone('Start a runner')
  run.log(`runner started with the command on the page; logs of the service: ${colophon.directory}`)
}

async function firstPullRequest(context: Context): Promise<void> {
  const { run, newcomer, hostSteps } = context
  await newcomer.openStep('Create your first job')
  await newcomer.fill('Prompt', 'Say hello in docs/index.md')
  await newcomer.press('Create job')
  await newcomer.seeDone('See the pull request')
  await newcomer.openStep('See the pull request')
  const link = newcomer.page.getByRole('link', { name: 'Open pull request' })
  const { pathname } = new URL((await link.getAttribute('href')) ?? '')
  const number = Number(pathname.split('/').at(-1))
  run.log(`pull request opened: ${pathname}`)
  await hostSteps.reviewAndMerge(context, number)
  await newcomer.seeDone('Merge the pull request')
  run.check(await hostSteps.isMerged(number), `the pull request is merged on ${hostSteps.hostName}`)
  run.check((await hostSteps.readPage('docs/index.md')).includes('hello'), 'the requested change is on the base branch')
  run.log('pull request merged')
}

async function createApiKey(context: Context): Promise<string> {
  const { run, newcomer } = context
  await newcomer.follow('API keys')
  await newcomer.press('Create API key')
  await newcomer.fill('Name', 'docs server')
  await newcomer.page.getByRole('dialog').getByRole('button', { name: 'Create API key' }).click()
  await newcomer.see('Copy this key now')
  const apiKey = await newcomer.page.getByRole('textbox', { name: 'API key' }).inputValue()
  run.check(/^colophon_\w{38}$/.test(apiKey), 'the new API key is shown')
  await newcomer.tick('I stored this key in a safe place')
  await newcomer.press('Done')
  await backToChecklist(context)
  await newcomer.seeDone('Create an API key')
  run.log('API key created')
  return apiKey
}

async function countViews(context: Context, apiKey: string): Promise<void> {
  const { run, browser, newcomer } = context
  await newcomer.openStep('Count a human view')
  const createButton = newcomer.page.getByRole('button', { name: 'Create site key' })
  const tag = newcomer.page.getByRole('region', { name: 'script tag' })
  await createButton.or(tag).first().waitFor()
  if (await createButton.isVisible()) await createButton.click()
  const site = await startDocsSite(await newcomer.copied('script tag'))
  run.cleanUp(site.stop)
  // The user agent of the same browser with a window: a headless one is classified as a bot.
  const userAgent = (await newcomer.page.evaluate<string>('navigator.userAgent')).replace('Headless', '')
  const visitorPage = await browser.newPage({ userAgent })
  await visitorPage.goto(`${site.url}/install/`)
  await newcomer.seeDone('Count a human view')
  await visitorPage.close()
  await newcomer.openStep('Count an AI view')
  const command = await newcomer.copied('curl command')
  await runCommand('sh', ['-c', command], { env: { PATH: process.env.PATH, COLOPHON_API_KEY: apiKey } })
  // All steps are done: the overview replaces the checklist and mentions no remaining steps.
  await newcomer.page.getByRole('button', { name: 'Show checklist', exact: true }).waitFor()
  await newcomer.follow('Overview')
  await newcomer.seeHeading('Analytics')
  run.log('human view counted with the script tag, AI view with the curl command')
}

async function checkCookiesAndHeaders({ run, colophon, tab }: Context): Promise<void> {
  const cookies = await tab.context.cookies(colophon.origin)
  run.check(cookies.length > 0, 'signing in sets a cookie')
  for (const { name, httpOnly, secure, sameSite } of cookies)
    run.check(
      httpOnly && secure && sameSite === 'Lax',
      `the cookie ${name} is HttpOnly, Secure and SameSite=Lax: ${httpOnly}, ${secure}, ${sameSite}`,
    )
  for (const path of ['/', '/sign-in', '/projects/x', '/reference']) {
    const policy = (await fetch(colophon.origin + path)).headers.get('content-security-policy') ?? ''
    const isStrict = policy.includes("default-src 'none'") && !policy.includes('unsafe') && !policy.includes('*')
    run.check(
      isStrict && policy.includes("frame-ancestors 'none'"),
      `${path} has a strict Content-Security-Policy: ${policy}`,
    )
  }
}

async function capturePages({ newcomer, capture, projectPath }: Context, jobPath: string): Promise<void> {
  await newcomer.open(`${projectPath}/settings/members`)
  await newcomer.fill('Email address', 'writer@example.com')
  await newcomer.press('Invite')
  const invitation =
    (await newcomer.page
      .getByText(/\/invitation#/)
      .first()
      .textContent()) ?? ''
  const inProject = (name: string, path: string, heading: string | RegExp): PageToCheck => ({
    name,
    path: `${projectPath}${path}`,
    heading,
  })
  await capture([
    { name: 'sign-in', path: '/sign-in', heading: /sign in/i, isPublic: true },
    {
      name: 'invitation',
      path: new URL(invitation).pathname + new URL(invitation).hash,
      heading: /./,
      isPublic: true,
    },
    { name: 'new-password', path: '/new-password#x', heading: /./, isPublic: true },
    { name: 'status', path: '/status', heading: /./, isPublic: true },
    { name: 'reference', path: '/reference', heading: /./, isPublic: true },
    { name: 'projects', path: '/', heading: 'Projects' },
    { name: 'account', path: '/account', heading: 'Account' },
    { name: 'spend-of-instance', path: '/spend', heading: 'Spend' },
    { name: 'people', path: '/people', heading: 'People' },
    { name: 'audit', path: '/audit', heading: 'Audit log' },
    { name: 'github-app-created', path: '/github/app-created', heading: 'GitHub App' },
    { name: 'github-installed', path: '/github/installed', heading: 'Choose a repository' },
    { name: 'no-such-page', path: '/projects/prj_x', heading: /not found/ },
    inProject('start', '', 'Handbook'),
    inProject('jobs', '/jobs', 'Jobs'),
    inProject('new-job', '/jobs/new', 'New job'),
    { name: 'job', path: jobPath, heading: /./ },
    inProject('analytics', '/analytics', 'Analytics'),
    inProject('analytics-page', '/analytics/page?path=%2Finstall', /install/),
    inProject('analytics-clients', '/analytics/clients', 'Clients'),
    inProject('analytics-sources', '/analytics/sources', 'Sources'),
    inProject('spend', '/spend', 'Spend'),
    inProject('keys', '/keys', 'API keys'),
    ...['repository', 'agent', 'models', 'views', 'members', 'runners', 'ci', 'audit', 'health'].map((page) =>
      inProject(`settings-${page}`, `/settings/${page}`, /./),
    ),
  ])
}
