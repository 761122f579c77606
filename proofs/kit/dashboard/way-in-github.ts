import { randomBytes } from 'node:crypto'
import { githubControl } from '../../../dev-services/github/github-control.ts'
import { failingJob, giveNews } from './github-news.ts'
import type { Newcomer } from './newcomer.ts'
import type { FindWayIn, Scene } from './way-in.ts'

const password = 'a password for GitHub'

const files = {
  'README.md': '# Handbook\n',
  'docs/index.md': '# Welcome\n\nOne.\n\nTwo.\n\nThree.\n',
  'docs/guide/start.md': '# Start\n\nFirst things first.\n',
}

/** Through an App that the newcomer creates, into an organization's repository on the stand-in for GitHub. */
export const githubWayIn: FindWayIn = async (run, { github }) => {
  const control = githubControl(github)
  const unlike = randomBytes(4).toString('hex')
  const login = `robin-${unlike}`
  const organization = `acme-${unlike}`
  await control.makeUser(login, { password })
  await control.makeOrganization(organization, [login])
  const made = await control.makeRepository(organization, 'handbook', { files, isPrivate: true })
  const other = await control.makeRepository(organization, 'website', { files })
  run.cleanUp(() => Promise.all([made, other].map(({ id }) => control.deleteRepository(id))))
  const repository = { id: made.id, control }

  async function createApp(newcomer: Newcomer): Promise<void> {
    await newcomer.follow('Create the GitHub App')
    await newcomer.fill('Organization', organization)
    await newcomer.press('Go on to GitHub')
    await newcomer.seeHeading('Sign in to GitHub')
    await newcomer.fill('Username or email address', login)
    await newcomer.fill('Password', password)
    await newcomer.press('Sign in')
    await newcomer.fill('GitHub App name', `Colophon of ${organization}`)
    await newcomer.press(`Create GitHub App for ${organization}`)
    await newcomer.see('Install it next.')
    run.say('an App of their own, and nothing was copied')
  }

  async function installApp(newcomer: Newcomer): Promise<void> {
    await newcomer.press('Install on GitHub')
    await newcomer.tick(made.fullName)
    await newcomer.press('Install')
    await newcomer.seeHeading('Choose a repository')
    const offered = newcomer.page.getByRole('radio')
    await offered.first().waitFor()
    run.check((await offered.count()) === 1, 'only the repository that was given to the App is offered')
    await newcomer.press('Test connection')
    await newcomer.see('The connection works')
    await newcomer.press('Connect')
    await newcomer.see('through the GitHub App')
    run.say('a repository, through the App')
  }

  /** What GitHub told of it was heard, so that nobody has to ask. */
  async function checkDeliveries(): Promise<void> {
    const deliveries = await control.deliveries(organization)
    const unheard = deliveries.filter(({ status }) => status === null || status >= 300)
    const example = unheard[0] && `${unheard[0].event} ${unheard[0].action}: ${unheard[0].status}`
    run.check(deliveries.length > 0 && unheard.length === 0, `every webhook was taken: ${example}`)
    run.figure('webhooks taken', deliveries.length)
  }

  async function lookAround(scene: Scene): Promise<void> {
    const { newcomer, look, projectPath } = scene
    const settings = `${projectPath}/settings/repository`
    const connectAnew = (visitor: Newcomer) => visitor.press('Connect anew')
    const choose = async (visitor: Newcomer) => {
      await connectAnew(visitor)
      await visitor.press('It is installed already: choose a repository')
      await visitor.see('Those with the App on them')
    }
    const jobPath = await failingJob(scene, repository, login)
    await look([
      { name: 'github-job', path: jobPath, heading: /./, act: (visitor) => visitor.see('Conflicts with main') },
      { name: 'github-connected', path: settings, heading: 'Connected repository' },
      { name: 'github-anew', path: settings, heading: 'Connect anew', act: connectAnew },
      {
        name: 'github-token',
        path: settings,
        heading: 'Connect anew',
        async act(visitor) {
          await connectAnew(visitor)
          await visitor.press('Use a fine-grained token')
          await visitor.fill('Repository address', made.fullName)
        },
      },
      { name: 'github-choose', path: settings, heading: 'Choose a repository', act: choose },
      {
        name: 'github-chosen-already',
        path: settings,
        heading: 'Choose a repository',
        isRefused: true,
        async act(visitor) {
          await choose(visitor)
          await visitor.page.reload()
          await visitor.see('Your repositories cannot be shown')
        },
      },
      {
        name: 'github-app-refused',
        path: '/github/app-made?code=made-up&state=made-up',
        isRefused: true,
        heading: 'The GitHub App',
        act: (visitor) => visitor.see('The App was not taken over'),
      },
      { name: 'github-another-app', path: '/github/new-app', heading: 'Create the GitHub App' },
    ])
    await control.archive(made.id)
    await newcomer.open(settings)
    await newcomer.reloadUntil('The repository is archived')
    await look([{ name: 'github-archived', path: settings, heading: 'Connected repository' }])
    await control.archive(made.id, false)
    await newcomer.reloadUntil('Connect anew')
    run.say('a repository that was archived, and no longer is')
    await checkDeliveries()
  }

  return {
    hostName: 'GitHub',
    url: github.url,
    async connect({ newcomer, look, projectPath }) {
      await look([
        { name: 'github-connect', path: `${projectPath}/settings/repository`, heading: 'Connect a repository' },
        { name: 'github-new-app', path: '/github/new-app', heading: 'Create the GitHub App' },
      ])
      await createApp(newcomer)
      await installApp(newcomer)
    },

    async reviewAndMerge(scene, number) {
      const { newcomer } = scene
      await giveNews(scene, repository, { number, login })
      await newcomer.follow('Get started')
      await newcomer.openStep('Merge it')
      const opened = newcomer.page.waitForEvent('popup')
      await newcomer.follow('Review and merge it on the code host')
      const onGithub = await opened
      await onGithub.getByRole('button', { name: 'Merge pull request' }).click()
      await onGithub.getByRole('button', { name: 'Confirm merge' }).click()
      await onGithub.getByText(/^Merged/).waitFor()
      await onGithub.close()
    },
    isMerged: async (number) =>
      (await control.pullRequests(made.id)).some((one) => one.number === number && one.isMerged),
    readPage: async (path) => (await control.file(made.id, 'main', path)) ?? '',
    lookAround,
  }
}
