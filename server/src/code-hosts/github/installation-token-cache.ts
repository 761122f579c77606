/**
 * Installation tokens of an App. Each is limited to one repository and to the permissions that are needed. They are cached in
 * memory until shortly before they expire.
 */
import type { Egress } from '../../platform/egress/egress.ts'
import { CodeHostError } from '../code-host-error.ts'
import { readErrorResponse, readJsonResponse, sendJson } from '../json-api.ts'
import { resolveGithubApiUrl } from './api-url.ts'
import { createAppJwt } from './app-jwt.ts'
import type { GithubConnection } from './github-connection.ts'
import { createGithubHeaders } from './github-headers.ts'
import { GithubInstallationToken } from './github-schemas.ts'

/** Never `workflows`: an agent must not be able to change the CI of a repository. */
export const requiredAppPermissions = {
  contents: 'write',
  pull_requests: 'write',
  metadata: 'read',
  checks: 'read',
  statuses: 'read',
  deployments: 'read',
  actions: 'read',
  issues: 'read',
}

const renewBeforeExpiryMs = 5 * 60_000

export type InstallationTokenCache = {
  tokenFor(installation: Installation): Promise<string>
  /** GitHub no longer accepts the token. */
  invalidate(installation: Installation, token: string): void
}

export type Installation = {
  baseUrl: string
  repositoryId: number
  access: Extract<GithubConnection['access'], { kind: 'installation' }>
}

type CachedToken = { token: string; expiresAt: number }

export function createInstallationTokenCache(egress: Egress): InstallationTokenCache {
  const cache = new Map<string, CachedToken>()
  const pending = new Map<string, Promise<CachedToken>>()

  return {
    async tokenFor(installation) {
      const key = keyOf(installation)
      const cached = cache.get(key)
      if (cached && cached.expiresAt - renewBeforeExpiryMs > Date.now()) return cached.token
      const request = pending.get(key) ?? requestToken(installation, egress).finally(() => pending.delete(key))
      pending.set(key, request)
      const requested = await request
      cache.set(key, requested)
      return requested.token
    },
    invalidate(installation, token) {
      const key = keyOf(installation)
      if (cache.get(key)?.token === token) cache.delete(key)
    },
  }
}

const keyOf = ({ baseUrl, repositoryId, access: { appId, installationId } }: Installation) =>
  `${baseUrl} ${appId} ${installationId} ${repositoryId}`

async function requestToken({ baseUrl, repositoryId, access }: Installation, egress: Egress): Promise<CachedToken> {
  const jwt = createAppJwt(access)
  const what = `POST /app/installations/${access.installationId}/access_tokens`
  const response = await sendJson(egress, {
    method: 'POST',
    url: `${resolveGithubApiUrl(baseUrl)}/app/installations/${access.installationId}/access_tokens`,
    headers: createGithubHeaders(jwt),
    body: { repository_ids: [repositoryId], permissions: requiredAppPermissions },
  })
  if (!response.ok) throw toTokenError(await readErrorResponse(response, what, jwt))
  const { token, expires_at } = await readJsonResponse(response, GithubInstallationToken, { what, host: 'GitHub' })
  return { token, expiresAt: Date.parse(expires_at) }
}

/** These statuses have another meaning here than for a request to a repository. */
function toTokenError(error: CodeHostError): CodeHostError {
  const { message } = error
  switch (error.failure.code) {
    case 'not_found':
      return new CodeHostError(
        { kind: 'final', code: 'token_rejected' },
        'The GitHub App is no longer installed. Install it again on GitHub, then connect the repository again.',
      )
    case 'rejected':
      return /permission/i.test(message)
        ? new CodeHostError(
            { kind: 'final', code: 'forbidden' },
            'The GitHub App lacks permissions. Open its installation in the GitHub settings of the account or organization, and accept the requested permissions.',
          )
        : new CodeHostError(
            { kind: 'final', code: 'not_found' },
            'The GitHub App has no access to the repository. Open its installation in the GitHub settings of the account or organization, and add the repository.',
          )
    default:
      return error
  }
}
