import { notAccessible, userOf } from '../access.ts'
import { defineOpenOperation, type OperationCall, type Operations, paginate } from '../api-call.ts'
import { ApiError, notFound } from '../api-error.ts'
import { coveredRepositories } from '../apps.ts'
import { isLevelAtLeast } from '../permission-levels.ts'
import { appResponse, installationResponse } from '../responses/app.ts'
import { formatGithubTime, repositoryResponse, withPermissions } from '../responses/repository.ts'
import {
  type Account,
  type App,
  type Installation,
  newSecret,
  type PermissionLevel,
  type Permissions,
  roleOf,
  type Token,
} from '../state.ts'

const hourMs = 3_600_000

function requireApp({ caller }: OperationCall): App {
  if (caller.kind !== 'app') throw new ApiError(401, 'A JSON web token could not be decoded')
  return caller.app
}

/** Installations of other Apps are not found. */
function requireInstallation(call: OperationCall): Installation {
  const installation = call.state.installations.get(Number(call.params.installation_id))
  if (!installation || installation.app !== requireApp(call)) throw notFound()
  return installation
}

function requireUserToken({ caller }: OperationCall): Extract<Token, { kind: 'user' }> {
  userOf(caller)
  if (caller.kind !== 'token' || caller.token.kind !== 'user') throw notAccessible(caller)
  return caller.token
}

/** The repositories that the installation covers and that the user has a role in. */
function repositoriesSharedWith(call: OperationCall, installation: Installation, user: Account) {
  return coveredRepositories(call.state, installation)
    .map((repository) => ({ repository, role: roleOf(repository, user) }))
    .filter((found): found is typeof found & { role: PermissionLevel } => found.role !== undefined)
}

function visibleInstallations(call: OperationCall): Installation[] {
  const { app, user } = requireUserToken(call)
  return [...call.state.installations.values()].filter(
    (installation) =>
      installation.app === app &&
      !installation.suspendedAt &&
      (installation.account === user ||
        installation.account.owners.has(user.login.toLowerCase()) ||
        repositoriesSharedWith(call, installation, user).length > 0),
  )
}

export const appOperations: Operations = {
  'apps/create-from-manifest': defineOpenOperation(({ state, params }) => {
    const created = state.manifestCodes.get(params.code ?? '')
    if (!created || created.expiresAt < new Date()) throw notFound()
    state.manifestCodes.delete(params.code ?? '')
    const { app } = created
    return {
      status: 201,
      body: {
        ...appResponse(state, app),
        client_id: app.clientId,
        client_secret: app.clientSecret,
        webhook_secret: app.webhook.secret || null,
        pem: app.privateKeyPem,
      },
    }
  }),

  'apps/create-installation-access-token': defineOpenOperation((call) => {
    const { state, body } = call
    const installation = requireInstallation(call)
    if (installation.suspendedAt) throw new ApiError(403, 'This installation has been suspended')
    const input = body as { repositories?: string[]; repository_ids?: number[]; permissions?: Permissions }
    const covered = coveredRepositories(state, installation)
    const isLimited = input.repositories !== undefined || input.repository_ids !== undefined
    const selected = [
      ...(input.repositories ?? []).map((name) => covered.find((repository) => repository.name === name)),
      ...(input.repository_ids ?? []).map((id) => covered.find((repository) => repository.id === id)),
    ].map((repository) => {
      if (repository) return repository
      const reason =
        'There is at least one repository that does not exist or is not accessible to the parent installation.'
      throw new ApiError(422, reason)
    })
    for (const [name, level] of Object.entries(input.permissions ?? {})) {
      if (isLevelAtLeast(installation.permissions[name], level)) continue
      throw new ApiError(422, 'The permissions requested are not granted to this installation.')
    }
    const permissions: Permissions = { ...(input.permissions ?? installation.permissions), metadata: 'read' }
    const token = newSecret('ghs_')
    const expiresAt = new Date(Date.now() + hourMs)
    const repositories = isLimited ? new Set(selected.map(({ id }) => id)) : null
    state.tokens.set(token, { kind: 'installation', token, expiresAt, installation, repositories, permissions })
    return {
      status: 201,
      body: {
        token,
        expires_at: formatGithubTime(expiresAt),
        permissions,
        repository_selection: isLimited || installation.repositories ? 'selected' : 'all',
        ...(isLimited && { repositories: selected.map((repository) => repositoryResponse(state, repository)) }),
      },
    }
  }),

  'apps/list-installations-for-authenticated-user': defineOpenOperation((call) => {
    const found = visibleInstallations(call)
    const { items, headers } = paginate(found, call)
    const installations = items.map((installation) => installationResponse(call.state, installation))
    return { status: 200, body: { total_count: found.length, installations }, headers }
  }),

  'apps/list-installation-repos-for-authenticated-user': defineOpenOperation((call) => {
    const { user } = requireUserToken(call)
    const installation = visibleInstallations(call).find(({ id }) => id === Number(call.params.installation_id))
    if (!installation) throw notFound()
    const found = repositoriesSharedWith(call, installation, user)
    const { items, headers } = paginate(found, call)
    const repositories = items.map(({ repository, role }) =>
      withPermissions(repositoryResponse(call.state, repository), role),
    )
    return { status: 200, body: { total_count: found.length, repositories }, headers }
  }),

  'apps/delete-token': defineOpenOperation(({ caller, state, params, body }) => {
    if (caller.kind !== 'client' || caller.app.clientId !== params.client_id) throw notFound()
    const text = String(body.access_token)
    const token = state.tokens.get(text)
    if (token?.kind !== 'user' || token.app !== caller.app) throw notFound()
    state.tokens.delete(text)
    return { status: 204 }
  }),
}
