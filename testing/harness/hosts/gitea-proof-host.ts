/** The code host of a proof: the real Gitea. */

import { createGiteaTestRepository } from '../../../server/src/code-hosts/testing/gitea-test-repository.ts'
import { connectRepository } from '../../../server/src/main/use-cases/connect-repository.ts'
import { loadCredentialCommandConfig } from '../../../server/src/platform/config.ts'
import type { ServiceAddresses } from '../../services/start-services.ts'
import { createGiteaUserClient } from './gitea-user-client.ts'
import type { ProofHost, ProofHostDeps } from './proof-host.ts'

export function giteaProofHost(gitea: ServiceAddresses['gitea'], deps: ProofHostDeps): ProofHost {
  const { stores, environment, relayUrl, apiUrl } = deps
  const { adminName, adminToken } = gitea
  const authorization = `Basic ${Buffer.from(`${adminName}:${adminToken}`).toString('base64')}`
  return {
    async createRepository() {
      const repository = await createGiteaTestRepository(gitea)
      const fullName = `${repository.owner}/${repository.name}`
      const git = { url: `${gitea.url}/${fullName}.git`, authorization }
      return { repository, person: createGiteaUserClient(gitea.url, fullName, adminToken), git }
    },

    async connect({ projectId, publishing, hasWebhook }, { repository: { owner, name } }) {
      const location = {
        host: 'gitea',
        baseUrl: relayUrl,
        owner,
        name,
        baseBranch: 'main',
        docsFolder: 'docs',
      } as const
      await connectRepository({
        stores,
        projectId,
        token: adminToken,
        actor: { kind: 'operator' },
        config: loadCredentialCommandConfig({ ...environment, ...(hasWebhook && { COLOPHON_PUBLIC_URL: apiUrl }) }),
        input: { ...location, publishing },
      })
    },

    calls: {
      pushes: ({ method, path, body }, jobId) =>
        method === 'POST' && path.endsWith('/git-receive-pack') && body.includes(jobId),
      opensPullRequest: ({ method, path, body }, jobId) =>
        method === 'POST' && path.endsWith('/pulls') && body.includes(jobId),
    },

    dropsDeletedBranchNames: true,
    forgedWebhook: (projectId, number) => ({
      path: `/v1/webhooks/${projectId}`,
      headers: { 'x-gitea-event': 'pull_request', 'x-gitea-signature': '00' },
      body: JSON.stringify({ number }),
    }),
  }
}
