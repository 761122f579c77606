/** Calls to GitHub that need opened secrets, while a person waits. They take ids, and store what they find in the database. */
import { CodeHostError } from '../code-hosts/code-host-error.ts'
import type { CodeHostConnection } from '../code-hosts/code-host-factory.ts'
import { exchangeOauthCode, listWritableRepositories, revokeUserToken } from '../code-hosts/github/app-api.ts'
import { type GithubAppStore, openClientSecret, openPrivateKey } from '../github/app-store.ts'
import type { GithubAuthorizationStore } from '../github/authorization-store.ts'
import type { Egress } from '../platform/egress/egress.ts'
import type { Id } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { Opener } from '../platform/sealed-secrets/sealed-secret.ts'
import type { RepositoryTestResult } from '../projects/repository-test-result.ts'

export interface GithubAuthorizationActivities {
  /** Stores the repositories that the person may connect with the authorization. Returns an error message, or null. */
  storeWritableRepositories(authorizationId: string): Promise<string | null>
  testAuthorizedRepository(
    authorizationId: string,
    repositoryId: number,
    baseBranch: string,
    docsFolder: string,
  ): Promise<RepositoryTestResult>
}

export type RepositoryConnectionTester = (
  connection: CodeHostConnection,
  where: { baseBranch: string; docsFolder: string },
) => Promise<RepositoryTestResult>

/** Together less than the timeout of the activity, so that there is always time to revoke the token. */
const exchangeSeconds = 14
const revokeSeconds = 8

const startAgain = 'Start again from the repository settings.'
const expired = `This GitHub authorization has expired or was already used. ${startAgain}`

export function createGithubAuthorizationActivities({
  githubApps,
  authorizations,
  opener,
  egress,
  testRepository,
  log,
}: {
  githubApps: GithubAppStore
  authorizations: GithubAuthorizationStore
  opener: Opener
  egress: Egress
  testRepository: RepositoryConnectionTester
  log: Log
}): GithubAuthorizationActivities {
  return {
    async storeWritableRepositories(id) {
      const authorizationId = id as Id<'gha'>
      const authorization = await authorizations.consumeCode(authorizationId, opener)
      const app = authorization && (await githubApps.find(authorization.baseUrl))
      if (!app) return expired
      const client = { ...app, clientSecret: await openClientSecret(app, opener) }
      const callOptions = (timeoutSeconds: number) => ({ egress, signal: AbortSignal.timeout(timeoutSeconds * 1000) })
      const exchangeOptions = callOptions(exchangeSeconds)
      try {
        const token = await exchangeOauthCode(client, authorization.code, exchangeOptions)
        if (token === undefined) return `GitHub rejected the authorization code. ${startAgain}`
        try {
          await authorizations.storeRepositories(
            authorizationId,
            await listWritableRepositories(client, token, exchangeOptions),
          )
        } finally {
          await revokeUserToken(client, token, callOptions(revokeSeconds)).catch((error: unknown) =>
            log.warn({ error: String(error) }, 'could not revoke GitHub user token; it expires within 8 hours'),
          )
        }
        return null
      } catch (error) {
        if (error instanceof CodeHostError) return `${error.message} ${startAgain}`
        throw error
      }
    },

    async testAuthorizedRepository(authorizationId, repositoryId, baseBranch, docsFolder) {
      const found = await authorizations.findRepository(authorizationId as Id<'gha'>, repositoryId)
      const app = found && (await githubApps.find(found.baseUrl))
      if (!app) return { ok: false, message: expired, found: null }
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
      // Webhooks come from the App itself, if it has one configured.
      const canManageWebhooks = app.webhookSecret !== null
      return tested.ok ? { ...tested, found: { ...tested.found, canManageWebhooks } } : tested
    },
  }
}
