/** GitHub API calls for an App, independent of a repository: creating the App, and what a person's own token gives access to. */
import Type, { type Static, type TSchema } from 'typebox'
import type { Egress } from '../../platform/egress/egress.ts'
import { CodeHostError } from '../code-host-error.ts'
import { readErrorResponse, readJsonResponse, sendJson } from '../json-api.ts'
import { resolveGithubApiUrl } from './api-url.ts'

const CreatedApp = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  slug: Type.String({ pattern: '^[A-Za-z0-9-]{1,100}$' }),
  name: Type.String({ minLength: 1, maxLength: 200 }),
  html_url: Type.String(),
  client_id: Type.String({ minLength: 1, maxLength: 200 }),
  client_secret: Type.String({ minLength: 1, maxLength: 1_000 }),
  /** Null: the manifest requested no webhook. */
  webhook_secret: Type.Union([Type.String({ minLength: 1, maxLength: 1_000 }), Type.Null()]),
  pem: Type.String({ minLength: 1, maxLength: 10_000 }),
  permissions: Type.Record(Type.String(), Type.String()),
})
export type CreatedGithubApp = Static<typeof CreatedApp>

/** GitHub redirects the person who created the App back with this code. It authenticates the request, and is valid once. */
export async function convertAppManifest(baseUrl: string, code: string, egress: Egress): Promise<CreatedGithubApp> {
  const url = `${resolveGithubApiUrl(baseUrl)}/app-manifests/${encodeURIComponent(code)}/conversions`
  const app = await call(egress, CreatedApp, {
    method: 'POST',
    url,
    secrets: [code],
    what: 'the credentials of the new App',
  })
  // People are redirected to this page.
  if (!app.html_url.startsWith(`${baseUrl}/`))
    throw new CodeHostError(
      { kind: 'retry', code: 'unexpected_response' },
      'GitHub reports a page of the App on another host. Check that the URL is that of GitHub itself.',
    )
  return app
}

export interface GithubOauthCredentials {
  baseUrl: string
  appId: number
  clientId: string
  clientSecret: string
}

const TokenResponse = Type.Union([
  Type.Object({ access_token: Type.String({ minLength: 1, pattern: '^[!-~]+$' }) }),
  Type.Object({ error: Type.String() }),
])

/** All calls share one deadline, because a person is waiting. */
type CallContext = { egress: Egress; signal: AbortSignal }

/** Undefined: GitHub does not accept this code, or no longer. */
export async function exchangeOauthCode(
  { baseUrl, clientId, clientSecret }: GithubOauthCredentials,
  code: string,
  { egress, signal }: CallContext,
): Promise<string | undefined> {
  const response = await call(egress, TokenResponse, {
    method: 'POST',
    url: `${baseUrl}/login/oauth/access_token`,
    body: { client_id: clientId, client_secret: clientSecret, code },
    secrets: [clientSecret, code],
    what: 'an access token',
    signal,
  })
  return 'access_token' in response ? response.access_token : undefined
}

const Installations = Type.Object({
  installations: Type.Array(
    Type.Object({
      id: Type.Integer({ minimum: 1 }),
      app_id: Type.Integer(),
      suspended_at: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    }),
  ),
})

const Repositories = Type.Object({
  repositories: Type.Array(
    Type.Object({
      id: Type.Integer({ minimum: 1 }),
      name: Type.String({ minLength: 1, maxLength: 200 }),
      owner: Type.Object({ login: Type.String({ minLength: 1, maxLength: 200 }) }),
      private: Type.Boolean(),
      archived: Type.Boolean(),
      default_branch: Type.String(),
      permissions: Type.Optional(Type.Object({ push: Type.Boolean() })),
    }),
  ),
})

/** More than a person would choose from, and more than can be read before the deadline. */
const maxPages = 10
const pageSize = 100
const maxRepositories = 2_000

/**
 * Repositories that both the App and the person can write to. For each installation of the App, GitHub returns the
 * repositories that the token's user can see, with the permissions of that user.
 */
export async function listWritableRepositories(
  { baseUrl, appId }: GithubOauthCredentials,
  token: string,
  { egress, signal }: CallContext,
) {
  const pages = async function* <Schema extends TSchema>(path: string, schema: Schema, what: string) {
    for (let page = 1; page <= maxPages; page++) {
      const url = `${resolveGithubApiUrl(baseUrl)}${path}?per_page=${pageSize}&page=${page}`
      const authorization = `Bearer ${token}`
      yield await call(egress, schema, { method: 'GET', url, authorization, secrets: [token], what, signal })
    }
  }
  const found = []
  for await (const { installations } of pages('/user/installations', Installations, 'installations')) {
    for (const { id: installationId, app_id, suspended_at } of installations) {
      if (app_id !== appId || suspended_at) continue
      const path = `/user/installations/${installationId}/repositories`
      for await (const { repositories } of pages(path, Repositories, 'repositories')) {
        for (const repository of repositories) {
          if (!repository.permissions?.push || repository.archived) continue
          found.push({
            id: repository.id,
            installationId,
            owner: repository.owner.login,
            name: repository.name,
            defaultBranch: repository.default_branch,
            isPrivate: repository.private,
          })
          if (found.length === maxRepositories) return found
        }
        if (repositories.length < pageSize) break
      }
    }
    if (installations.length < pageSize) break
  }
  return found
}

/** Called when the person's token is no longer needed. */
export async function revokeUserToken(
  { baseUrl, clientId, clientSecret }: GithubOauthCredentials,
  token: string,
  { egress, signal }: CallContext,
): Promise<void> {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
  const response = await send(egress, {
    method: 'DELETE',
    url: `${resolveGithubApiUrl(baseUrl)}/applications/${encodeURIComponent(clientId)}/token`,
    authorization: `Basic ${basic}`,
    body: { access_token: token },
    secrets: [clientSecret, basic, token],
    what: 'the revocation of an access token',
    signal,
  })
  await response.body?.cancel()
}

interface Call {
  method: 'GET' | 'POST' | 'DELETE'
  url: string
  authorization?: string
  body?: unknown
  /** Removed from error messages, because a host may repeat what it was sent. */
  secrets: readonly string[]
  /** Names the request in messages for people. Not the URL, because it may contain a code. */
  what: string
  signal?: AbortSignal
}

async function send(
  egress: Egress,
  { method, url, authorization, body, secrets, what, signal }: Call,
): Promise<Response> {
  const headers = { accept: 'application/json', 'user-agent': 'colophon', ...(authorization && { authorization }) }
  const response = await sendJson(egress, { method, url, headers, body, signal })
  if (response.ok) return response
  throw await readErrorResponse(response, `the request for ${what}`, ...secrets)
}

const call = async <Schema extends TSchema>(egress: Egress, schema: Schema, request: Call): Promise<Static<Schema>> =>
  readJsonResponse(await send(egress, request), schema, { what: `the request for ${request.what}`, host: 'GitHub' })
