import { userOf } from '../access.ts'
import {
  defineOpenOperation,
  defineRepositoryOperation,
  type Operations,
  paginate,
  type RepositoryCall,
} from '../api-call.ts'
import { notFound } from '../api-error.ts'
import type { Caller } from '../authenticate.ts'
import { readCommit } from '../git.ts'
import { accountResponse, ownAccountResponse } from '../responses/account.ts'
import { commitResponse } from '../responses/commit.ts'
import { fullRepositoryResponse, repositoryApiUrl } from '../responses/repository.ts'
import { type PermissionLevel, type Repository, roleOf } from '../state.ts'

/** The role of the person that a token belongs to. Apps have none. */
const callerRole = (repository: Repository, caller: Caller): PermissionLevel | undefined =>
  caller.kind === 'token' && caller.token.kind !== 'installation' ? roleOf(repository, caller.token.user) : undefined

const noProtection = { enabled: false, required_status_checks: { enforcement_level: 'off', contexts: [], checks: [] } }

const protectionUrl = ({ state, repository }: RepositoryCall, branch: string) =>
  `${repositoryApiUrl(state, repository)}/branches/${encodeURIComponent(branch)}/protection`

export const repositoryOperations: Operations = {
  'repos/get': defineRepositoryOperation('metadata:read', ({ state, repository, caller }) => ({
    status: 200,
    body: fullRepositoryResponse(state, repository, callerRole(repository, caller)),
  })),

  'repos/list-branches': defineRepositoryOperation('contents:read', (call) => {
    const { repository, state } = call
    const { items, headers } = paginate([...repository.branches].sort(), call)
    const body = items.map(([name, sha]) => ({
      name,
      commit: { sha, url: `${repositoryApiUrl(state, repository)}/commits/${sha}` },
      protected: false,
      protection: noProtection,
      protection_url: protectionUrl(call, name),
    }))
    return { status: 200, body, headers }
  }),

  'repos/get-branch': defineRepositoryOperation('contents:read', async (call) => {
    const { repository, state, params } = call
    const name = params.branch ?? ''
    const commit = await readCommit(repository.directory, repository.branches.get(name) ?? 'none')
    if (!commit) throw notFound()
    const branch = encodeURIComponent(name)
    return {
      status: 200,
      body: {
        name,
        commit: commitResponse(state, repository, commit),
        _links: {
          self: `${repositoryApiUrl(state, repository)}/branches/${branch}`,
          html: `${state.url}/${repository.owner.login}/${repository.name}/tree/${branch}`,
        },
        protected: false,
        protection: noProtection,
        protection_url: protectionUrl(call, name),
      },
    }
  }),

  'repos/get-collaborator-permission-level': defineRepositoryOperation(
    'metadata:read',
    ({ state, repository, params }) => {
      const account = state.account(params.username ?? '')
      if (!account) throw notFound()
      const permission = roleOf(repository, account) ?? (repository.isPrivate ? 'none' : 'read')
      return {
        status: 200,
        body: {
          permission,
          role_name: permission,
          user: { ...accountResponse(state, account), role_name: permission },
        },
      }
    },
  ),

  'users/get-authenticated': defineOpenOperation(({ state, caller }) => ({
    status: 200,
    body: ownAccountResponse(state, userOf(caller)),
  })),
}
