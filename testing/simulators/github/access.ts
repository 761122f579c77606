/** The permissions of a caller on a repository. */
import { ApiError, notFound } from './api-error.ts'
import type { Caller } from './authenticate.ts'
import { isLevelAtLeast, pickLowerLevel } from './permission-levels.ts'
import {
  type Account,
  isRepositoryCovered,
  type PermissionLevel,
  type Permissions,
  type Repository,
  roleOf,
  type State,
  type Token,
} from './state.ts'

/** For example `contents:read`. */
export type RequiredPermission = `${string}:${PermissionLevel}`

/** What everyone may read in a public repository. */
const publicPermissions: Permissions = Object.fromEntries(
  ['metadata', 'contents', 'pull_requests', 'issues', 'checks', 'statuses', 'deployments', 'actions'].map((name) => [
    name,
    'read',
  ]),
)

/** Undefined if the repository does not exist for this caller. */
export function permissionsOn(state: State, caller: Caller, repository: Repository): Permissions | undefined {
  const granted = caller.kind === 'token' ? tokenPermissions(state, caller.token, repository) : undefined
  if (!repository.isPrivate) return { ...publicPermissions, ...granted }
  return granted && { ...granted, metadata: 'read' }
}

function tokenPermissions(state: State, token: Token, repository: Repository): Permissions | undefined {
  switch (token.kind) {
    case 'fine_grained':
      return token.repositories.has(repository.id) ? limitToRole(token.permissions, token.user, repository) : undefined
    case 'installation': {
      const { installation, repositories, permissions } = token
      if (installation.suspendedAt || !state.installations.has(installation.id)) return undefined
      if (!isRepositoryCovered(installation, repository)) return undefined
      return repositories === null || repositories.has(repository.id) ? permissions : undefined
    }
    case 'user': {
      const installation = state
        .installationsOf(repository)
        .find(({ app, suspendedAt }) => app === token.app && !suspendedAt)
      return installation && limitToRole(installation.permissions, token.user, repository)
    }
  }
}

/** A token never grants more than its person's role. */
function limitToRole(permissions: Permissions, user: Account, repository: Repository): Permissions | undefined {
  const role = roleOf(repository, user)
  if (!role) return undefined
  return Object.fromEntries(
    Object.entries(permissions)
      .map(([name, level]): [string, PermissionLevel] => [name, pickLowerLevel(level, role)])
      .filter(([name]) => role === 'admin' || !needsAdmin.has(name)),
  )
}

const needsAdmin = new Set(['repository_hooks', 'administration'])

export const notAccessible = (caller: Caller): ApiError =>
  new ApiError(
    403,
    caller.kind === 'token' && caller.token.kind === 'fine_grained'
      ? 'Resource not accessible by personal access token'
      : 'Resource not accessible by integration',
  )

export function requirePermission(
  needs: readonly RequiredPermission[],
  permissions: Permissions,
  caller: Caller,
): void {
  const isMet = needs.some((need) => {
    const [name = '', level] = need.split(':') as [string, PermissionLevel]
    return isLevelAtLeast(permissions[name], level)
  })
  if (!isMet) throw notAccessible(caller)
}

/** The account that a token acts as: the user, or the bot account of the App. */
export function actorOf(caller: Caller): Account {
  if (caller.kind !== 'token') throw new ApiError(401, 'Requires authentication')
  return caller.token.kind === 'installation' ? caller.token.installation.app.bot : caller.token.user
}

export function userOf(caller: Caller): Account {
  if (caller.kind !== 'token') throw new ApiError(401, 'Requires authentication')
  if (caller.token.kind === 'installation') throw notAccessible(caller)
  return caller.token.user
}

/** Returns the repository and the caller's permissions on it, or throws 404. */
export function requireVisible(state: State, caller: Caller, repository: Repository | undefined) {
  const permissions = repository && permissionsOn(state, caller, repository)
  if (!repository || !permissions) throw notFound()
  return { repository, permissions }
}
