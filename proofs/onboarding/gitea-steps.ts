import { createGiteaTestRepository } from '../../server/src/code-hosts/testing/gitea-test-repository.ts'
import { baseFiles } from '../../server/src/code-hosts/testing/host-test-repository.ts'
import { createGiteaUserClient } from '../../testing/harness/hosts/gitea-user-client.ts'
import type { CreateHostSteps } from './host-steps.ts'

/** With a token, to a repository on the real Gitea. */
export const createGiteaSteps: CreateHostSteps = async (run, { addresses: { gitea } }) => {
  const repository = await createGiteaTestRepository(gitea, {
    ...baseFiles,
    'mkdocs.yml': 'site_name: Handbook\nnav:\n  - Welcome: index.md\n',
  })
  run.cleanUp(repository.remove)
  const fullName = `${repository.owner}/${repository.name}`
  const person = createGiteaUserClient(gitea.url, fullName, gitea.adminToken)
  return {
    hostName: 'Gitea',
    url: gitea.url,
    async connect({ newcomer }) {
      await newcomer.pick('Gitea or Forgejo')
      await newcomer.fill('Repository', `${gitea.url}/${fullName}`)
      await newcomer.fill('Access token', 'wrong')
      await newcomer.press('Test connection')
      await newcomer.see('The connection does not work')
      await newcomer.fill('Access token', gitea.adminToken)
      await newcomer.press('Test connection')
      await newcomer.see('The connection works')
      await newcomer.press('Connect')
      await newcomer.see(`${fullName} is connected.`)
      run.log('repository connected, after a wrong token was rejected')
    },

    reviewAndMerge: (_, number) => person.merge(number),
    isMerged: async (number) => (await person.pullRequest(number)).state === 'merged',
    readPage: (path) => person.read(path, 'main'),

    async captureHostPages({ capture, projectPath }) {
      const path = `${projectPath}/settings/repository`
      await capture([
        { name: 'github-new-app', path: '/github/new-app', heading: 'Create a GitHub App' },
        {
          name: 'gitea-reconnect',
          path,
          heading: 'Change connection',
          act: (newcomer) => newcomer.press('Change connection'),
        },
      ])
    },
  }
}
