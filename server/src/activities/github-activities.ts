/** What is asked of GitHub with opened secrets, while somebody looks on. Ids go in; what is found stays in the database. */
import { CodeHostError } from '../code-hosts/code-host-error.ts'
import { exchangeCode, listWritableRepositories, revokeToken } from '../code-hosts/github/app-calls.ts'
import type { CodeHostConnection } from '../code-hosts/open-code-host.ts'
import { type GithubAppStore, openClientSecret, openPrivateKey } from '../github/app-store.ts'
import type { GithubVisitStore } from '../github/authorization-store.ts'
import type { Egress } from '../platform/egress/egress.ts'
import type { Id } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { Opener } from '../platform/sealed-secrets/sealed-secret.ts'
import type { RepositoryTest } from '../projects/repository-test.ts'

export interface GithubActivities {
  /** The repositories that the visitor may connect are with the visit then. A sentence: what is wrong; null: nothing. */
  exchangeVisit(authorizationId: string): Promise<string | null>
  testFoundRepository(
    authorizationId: string,
    repositoryId: number,
    baseBranch: string,
    docsFolder: string,
  ): Promise<RepositoryTest>
}

export type TestRepository = (
  connection: CodeHostConnection,
  where: { baseBranch: string; docsFolder: string },
) => Promise<RepositoryTest>

/** Together less than the activity has: whatever GitHub does, there is time to end the token. */
const exchangeSeconds = 14
const revokeSeconds = 8

const startAgain = 'Go to GitHub once more from the page of the repository.'

export function createGithubActivities({
  githubApps,
  visits,
  opener,
  egress,
  testRepository,
  log,
}: {
  githubApps: GithubAppStore
  visits: GithubVisitStore
  opener: Opener
  egress: Egress
  testRepository: TestRepository
  log: Log
}): GithubActivities {
  return {
    async exchangeVisit(id) {
      const authorizationId = id as Id<'gha'>
      const visit = await visits.takeCode(authorizationId, opener)
      const app = visit && (await githubApps.find(visit.baseUrl))
      if (!app) return `This visit to GitHub is over. ${startAgain}`
      const client = { ...app, clientSecret: await openClientSecret(app, opener) }
      const within = (seconds: number) => ({ egress, signal: AbortSignal.timeout(seconds * 1000) })
      const asking = within(exchangeSeconds)
      try {
        const token = await exchangeCode(client, visit.code, asking)
        if (token === undefined) return `GitHub does not take the code that came back with you. ${startAgain}`
        try {
          await visits.keepFound(authorizationId, await listWritableRepositories(client, token, asking))
        } finally {
          await revokeToken(client, token, within(revokeSeconds)).catch((error: unknown) =>
            log.warn({ error: String(error) }, "could not end a visitor's token: it ends by itself within 8 hours"),
          )
        }
        return null
      } catch (error) {
        if (error instanceof CodeHostError) return `${error.message} ${startAgain}`
        throw error
      }
    },

    async testFoundRepository(authorizationId, repositoryId, baseBranch, docsFolder) {
      const found = await visits.foundOne(authorizationId as Id<'gha'>, repositoryId)
      const app = found && (await githubApps.find(found.baseUrl))
      if (!app) return { ok: false, message: `This visit to GitHub is over. ${startAgain}`, found: null }
      const { owner, name, installationId } = found.repository
      const privateKeyPem = await openPrivateKey(app, opener)
      const tested = await testRepository(
        {
          host: 'github',
          baseUrl: found.baseUrl,
          owner,
          name,
          repositoryId,
          access: { kind: 'installation', appId: app.appId, privateKeyPem, installationId },
        },
        { baseBranch, docsFolder },
      )
      // The App's own webhook, if it has one, is what tells us.
      const canManageWebhooks = app.webhookSecret !== null
      return tested.ok ? { ...tested, found: { ...tested.found, canManageWebhooks } } : tested
    },
  }
}
