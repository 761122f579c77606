import { randomBytes } from 'node:crypto'
import { createGithubControlClient } from '@colophon/github-simulator/control'
import { createJobWithFailedChecks, sendFeedbackToAgent } from './github-feedback.ts'
import type { CreateHostSteps, OnboardingContext } from './host-steps.ts'
import type { Newcomer } from './newcomer.ts'

const password = 'a password for GitHub'

const files = {
  'README.md': '# Handbook\n',
  'docs/index.md': '# Welcome\n\nOne.\n\nTwo.\n\nThree.\n',
  'docs/guide/start.md': '# Start\n\nFirst things first.\n',
}

/** Through an App that the newcomer creates, to an organization's repository on the GitHub simulator. */
export const createGithubSteps: CreateHostSteps = async (run, { addresses: { github } }) => {
  const control = createGithubControlClient(github)
  const suffix = randomBytes(4).toString('hex')
  const login = `robin-${suffix}`
  const organization = `acme-${suffix}`
  await control.createUser(login, { password })
  await control.createOrganization(organization, [login])
  const repositoryInfo = await control.createRepository(organization, 'handbook', { files, isPrivate: true })
  const other = await control.createRepository(organization, 'website', { files })
  run.cleanUp(() => Promise.all([repositoryInfo, other].map(({ id }) => control.deleteRepository(id))))
  const repository = { id: repositoryInfo.id, control }

  async function createApp(newcomer: Newcomer): Promise<void> {
    await newcomer.follow('Create GitHub App')
    await newcomer.fill('Organization', organization)
    await newcomer.press('Continue to GitHub')
    await newcomer.seeHeading('Sign in to GitHub')
    await newcomer.fill('Username or email address', login)
    await newcomer.fill('Password', password)
    await newcomer.press('Sign in')
    await newcomer.fill('GitHub App name', `Colophon of ${organization}`)
    await newcomer.press(`Create GitHub App for ${organization}`)
    await newcomer.see('Install it next.')
    run.log('GitHub App created without copying secrets')
  }

  async function installApp(newcomer: Newcomer): Promise<void> {
    await newcomer.press('Install on GitHub')
    await newcomer.tick(repositoryInfo.fullName)
    await newcomer.press('Install')
    await newcomer.seeHeading('Choose a repository')
    const options = newcomer.page.getByRole('radio')
    await options.first().waitFor()
    run.check((await options.count()) === 1, 'only the repository with the App installed is listed')
    await newcomer.press('Test connection')
    await newcomer.see('The connection works')
    await newcomer.press('Connect')
    await newcomer.see('through the GitHub App')
    run.log('repository connected through the App')
  }

  /** All of GitHub's webhooks were accepted, so polling is not needed. */
  async function checkDeliveries(): Promise<void> {
    const deliveries = await control.deliveries(organization)
    const rejected = deliveries.filter(({ status }) => status === null || status >= 300)
    const example = rejected[0] && `${rejected[0].event} ${rejected[0].action}: ${rejected[0].status}`
    run.check(deliveries.length > 0 && rejected.length === 0, `every webhook is accepted, rejected: ${example}`)
    run.figure('webhooks accepted', deliveries.length)
  }

  async function captureHostPages(context: OnboardingContext): Promise<void> {
    const { newcomer, capture, projectPath } = context
    const settings = `${projectPath}/settings/repository`
    const reconnect = (user: Newcomer) => user.press('Change connection')
    const choose = async (user: Newcomer) => {
      await reconnect(user)
      await user.press('Already installed? Choose a repository')
      await user.see('Repositories with the App installed')
    }
    const jobPath = await createJobWithFailedChecks(context, repository, login)
    await capture([
      { name: 'github-job', path: jobPath, heading: /./, act: (user) => user.see('Conflicts with main') },
      { name: 'github-connected', path: settings, heading: 'Connected repository' },
      { name: 'github-reconnect', path: settings, heading: 'Change connection', act: reconnect },
      {
        name: 'github-token',
        path: settings,
        heading: 'Change connection',
        async act(user) {
          await reconnect(user)
          await user.press('Use a fine-grained token')
          await user.fill('Repository', repositoryInfo.fullName)
        },
      },
      { name: 'github-choose', path: settings, heading: 'Choose a repository', act: choose },
      {
        name: 'github-chosen-already',
        path: settings,
        heading: 'Choose a repository',
        showsRejection: true,
        async act(user) {
          await choose(user)
          await user.page.reload()
          await user.see('Your repositories could not be loaded')
        },
      },
      {
        name: 'github-app-rejected',
        path: '/github/app-created?code=forged&state=forged',
        showsRejection: true,
        heading: 'GitHub App',
        act: (user) => user.see('The App was not set up'),
      },
      { name: 'github-another-app', path: '/github/new-app', heading: 'Create a GitHub App' },
    ])
    await control.archive(repositoryInfo.id)
    await newcomer.open(settings)
    await newcomer.reloadUntil('The repository is archived')
    await capture([{ name: 'github-archived', path: settings, heading: 'Connected repository' }])
    await control.archive(repositoryInfo.id, false)
    await newcomer.reloadUntil('Change connection')
    run.log('archived repository shown, and restored')
    await checkDeliveries()
  }

  return {
    hostName: 'GitHub',
    url: github.url,
    async connect({ newcomer, capture, projectPath }) {
      await capture([
        { name: 'github-connect', path: `${projectPath}/settings/repository`, heading: 'Connect a repository' },
        { name: 'github-new-app', path: '/github/new-app', heading: 'Create a GitHub App' },
      ])
      await createApp(newcomer)
      await installApp(newcomer)
    },

    async reviewAndMerge(context, number) {
      const { newcomer } = context
      await sendFeedbackToAgent(context, repository, { number, login })
      await newcomer.follow('Get started')
      await newcomer.openStep('Merge the pull request')
      const opened = newcomer.page.waitForEvent('popup')
      await newcomer.follow('Review and merge on the code host')
      const onGithub = await opened
      await onGithub.getByRole('button', { name: 'Merge pull request' }).click()
      await onGithub.getByRole('button', { name: 'Confirm merge' }).click()
      await onGithub.getByText(/^Merged/).waitFor()
      await onGithub.close()
    },
    isMerged: async (number) =>
      (await control.pullRequests(repositoryInfo.id)).some(
        (pullRequest) => pullRequest.number === number && pullRequest.isMerged,
      ),
    readPage: async (path) => (await control.readFile(repositoryInfo.id, 'main', path)) ?? '',
    captureHostPages,
  }
}
