/** What a caller may do with a repository. */
import { ApiError, notFound } from './api-error.ts'
import type { Caller } from './authenticate.ts'
import { atLeast, lower } from './levels.ts'
import {
  type Account,
  covers,
  type Level,
  type Permissions,
  type Repository,
  roleOf,
  type State,
  type Token,
} from './state.ts'

/** `a:read` or, where several are as good, a list. */
export type Need = `${string}:${Level}`

/** What anybody may read of a public repository. */
const publicPermissions: Permissions = Object.fromEntries(
  ['metadata', 'contents', 'pull_requests', 'issues', 'checks', 'statuses', 'deployments', 'actions'].map((name) => [
    name,
    'read',
  ]),
)

/** Undefined: for this caller the repository does not exist. */
export function permissionsOn(state: State, caller: Caller, repository: Repository): Permissions | undefined {
  const held = caller.kind === 'token' ? heldBy(state, caller.token, repository) : undefined
  if (!repository.isPrivate) return { ...publicPermissions, ...held }
  return held && { ...held, metadata: 'read' }
}

function heldBy(state: State, token: Token, repository: Repository): Permissions | undefined {
  switch (token.kind) {
    case 'fine_grained':
      return token.repositories.has(repository.id) ? upToRole(token.permissions, token.user, repository) : undefined
    case 'installation': {
      const { installation, repositories, permissions } = token
      if (installation.suspendedAt || !state.installations.has(installation.id)) return undefined
      if (!covers(installation, repository)) return undefined
      return repositories === null || repositories.has(repository.id) ? permissions : undefined
    }
    case 'user': {
      const installation = state
        .installationsOf(repository)
        .find(({ app, suspendedAt }) => app === token.app && !suspendedAt)
      return installation && upToRole(installation.permissions, token.user, repository)
    }
  }
}

/** A token never does more than its person. */
function upToRole(permissions: Permissions, user: Account, repository: Repository): Permissions | undefined {
  const role = roleOf(repository, user)
  if (!role) return undefined
  return Object.fromEntries(
    Object.entries(permissions)
      .map(([name, level]): [string, Level] => [name, lower(level, role)])
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

export function refuseWithout(needs: readonly Need[], permissions: Permissions, caller: Caller): void {
  const isMet = needs.some((need) => {
    const [name = '', level] = need.split(':') as [string, Level]
    return atLeast(permissions[name], level)
  })
  if (!isMet) throw notAccessible(caller)
}

/** The user, or the App's own account, in whose name a token acts. */
export function actorOf(caller: Caller): Account {
  if (caller.kind !== 'token') throw new ApiError(401, 'Requires authentication')
  return caller.token.kind === 'installation' ? caller.token.installation.app.bot : caller.token.user
}

export function userOf(caller: Caller): Account {
  if (caller.kind !== 'token') throw new ApiError(401, 'Requires authentication')
  if (caller.token.kind === 'installation') throw notAccessible(caller)
  return caller.token.user
}

/** What the caller may see of a repository, or nothing of it. */
export function seen(state: State, caller: Caller, repository: Repository | undefined) {
  const permissions = repository && permissionsOn(state, caller, repository)
  if (!repository || !permissions) throw notFound()
  return { repository, permissions }
}
