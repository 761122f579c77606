/**
 * Tokens of an App's installation: each for one repository and for what is needed there. Kept in memory, and only until
 * shortly before they end.
 */
import type { Egress } from '../../platform/egress/egress.ts'
import { CodeHostError } from '../code-host-error.ts'
import { failureIn, readResponse, sendJson } from '../json-api.ts'
import { githubApiUrl } from './api-url.ts'
import { appJwt } from './app-jwt.ts'
import { GithubInstallationToken } from './github-answers.ts'
import type { GithubConnection } from './github-connection.ts'
import { githubHeaders } from './github-headers.ts'

/** Never `workflows`: what an agent makes does not reach a repository's CI. */
export const neededPermissions = {
  contents: 'write',
  pull_requests: 'write',
  metadata: 'read',
  checks: 'read',
  statuses: 'read',
  deployments: 'read',
  actions: 'read',
  issues: 'read',
}

const renewBeforeEndMs = 5 * 60_000

export type InstallationTokens = {
  tokenFor(installation: Installation): Promise<string>
  /** GitHub does not take it any more. */
  forget(installation: Installation, token: string): void
}

export type Installation = {
  baseUrl: string
  repositoryId: number
  access: Extract<GithubConnection['access'], { kind: 'installation' }>
}

type Kept = { token: string; endsAt: number }

export function createInstallationTokens(egress: Egress): InstallationTokens {
  const kept = new Map<string, Kept>()
  const underWay = new Map<string, Promise<Kept>>()

  return {
    async tokenFor(installation) {
      const key = keyOf(installation)
      const known = kept.get(key)
      if (known && known.endsAt - renewBeforeEndMs > Date.now()) return known.token
      const minting = underWay.get(key) ?? mint(installation, egress).finally(() => underWay.delete(key))
      underWay.set(key, minting)
      const minted = await minting
      kept.set(key, minted)
      return minted.token
    },
    forget(installation, token) {
      const key = keyOf(installation)
      if (kept.get(key)?.token === token) kept.delete(key)
    },
  }
}

const keyOf = ({ baseUrl, repositoryId, access: { appId, installationId } }: Installation) =>
  `${baseUrl} ${appId} ${installationId} ${repositoryId}`

async function mint({ baseUrl, repositoryId, access }: Installation, egress: Egress): Promise<Kept> {
  const jwt = appJwt(access)
  const what = `POST /app/installations/${access.installationId}/access_tokens`
  const response = await sendJson(egress, {
    method: 'POST',
    url: `${githubApiUrl(baseUrl)}/app/installations/${access.installationId}/access_tokens`,
    headers: githubHeaders(jwt),
    body: { repository_ids: [repositoryId], permissions: neededPermissions },
  })
  if (!response.ok) throw asFailure(await failureIn(response, what, jwt))
  const { token, expires_at: endsAt } = await readResponse(response, GithubInstallationToken, { what, host: 'GitHub' })
  return { token, endsAt: Date.parse(endsAt) }
}

/** The same answers mean other things here than about a repository. */
function asFailure(error: CodeHostError): CodeHostError {
  const { message } = error
  switch (error.failure.code) {
    case 'not_found':
      return new CodeHostError(
        { kind: 'final', code: 'token_rejected' },
        'The App is not installed any more. Install it again, and connect the repository again.',
      )
    case 'rejected':
      return /permission/i.test(message)
        ? new CodeHostError(
            { kind: 'final', code: 'forbidden' },
            'The App was not granted what it needs. Accept its permissions on the page of its installation.',
          )
        : new CodeHostError(
            { kind: 'final', code: 'not_found' },
            'The App may not see the repository. Add it to the repositories of its installation.',
          )
    default:
      return error
  }
}
