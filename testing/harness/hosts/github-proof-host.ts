/** The code host of a proof: the GitHub simulator, connected through an App of its own that subscribes to all events. */
import { randomBytes } from 'node:crypto'
import { createGithubControlClient } from '@colophon/github-simulator/control'
import { createAppManifest } from '../../../server/src/api/github/app-manifest.ts'
import {
  createGithubTestRepository,
  type GithubTestRepository,
} from '../../../server/src/code-hosts/testing/github-test-repository.ts'
import { loadCredentialCommandConfig } from '../../../server/src/platform/config.ts'
import { createSealer } from '../../../server/src/platform/sealed-secrets/sealed-secret.ts'
import type { ServiceAddresses } from '../../services/start-services.ts'
import { createGithubUserClient } from './github-user-client.ts'
import type { CreatedRepository, ProofHost, ProofHostDeps } from './proof-host.ts'

export async function githubProofHost(
  github: ServiceAddresses['github'],
  { stores, environment, relayUrl, apiUrl }: ProofHostDeps,
): Promise<ProofHost> {
  const control = createGithubControlClient(github)
  const appOwner = `app-owner-${randomBytes(6).toString('hex')}`
  await control.createUser(appOwner)
  const manifest = { ...createAppManifest(apiUrl, github.url), name: `Colophon ${appOwner}`, public: true }
  const app = await control.createApp(appOwner, manifest)
  const { sealingKeys } = loadCredentialCommandConfig(environment)
  await stores.githubApps.put(
    {
      baseUrl: relayUrl,
      appId: app.id,
      slug: app.slug,
      name: app.name,
      url: `${github.url}/apps/${app.slug}`,
      clientId: app.clientId,
      webhookSecret: app.webhookSecret,
    },
    { clientSecret: app.clientSecret, privateKeyPem: app.privateKeyPem },
    createSealer(sealingKeys),
    { kind: 'operator' },
  )
  const githubRepositories = new Map<CreatedRepository['repository'], GithubTestRepository>()
  const installations = new Map<string, Promise<number>>() // an account has one installation for all of its repositories
  const installationFor = (owner: string, id: number) => {
    const installing = installations.get(owner) ?? control.installApp(app.slug, owner, [id])
    installations.set(owner, installing)
    return installing
  }

  return {
    async createRepository() {
      const repository = await createGithubTestRepository(github)
      githubRepositories.set(repository, repository)
      const git = { url: repository.cloneUrl, authorization: repository.ownerAuthorization }
      return { repository, person: createGithubUserClient(repository), git }
    },

    async connect({ projectId, publishing }, { repository }) {
      const { id, owner, name } = githubRepositories.get(repository) as GithubTestRepository
      await stores.repositories.connect(
        projectId,
        {
          host: 'github',
          baseUrl: relayUrl,
          owner,
          name,
          baseBranch: 'main',
          docsFolder: 'docs',
          publishing,
          access: { kind: 'installation', installationId: await installationFor(owner, id) },
          hostRepositoryId: id,
        },
        { kind: 'operator' },
      )
    },

    calls: {
      pushes: ({ method, path, body }, jobId) =>
        (method === 'POST' && path.endsWith('/git/refs') && body.includes(jobId)) ||
        (method === 'PATCH' && path.includes('/git/refs/heads/') && path.includes(jobId)),
      opensPullRequest: ({ method, path, body }, jobId) =>
        method === 'POST' && path.endsWith('/pulls') && body.includes(jobId),
    },

    dropsDeletedBranchNames: false,
    forgedWebhook: (_, number) => ({
      path: '/v1/webhooks/github',
      headers: { 'x-github-event': 'pull_request', 'x-hub-signature-256': `sha256=${'00'.repeat(32)}` },
      body: JSON.stringify({ action: 'closed', number }),
    }),
  }
}
