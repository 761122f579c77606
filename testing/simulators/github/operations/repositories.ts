import { defineRepositoryOperation, type Operations } from '../api-call.ts'
import { notFound } from '../api-error.ts'
import type { Caller } from '../authenticate.ts'
import { accountResponse } from '../responses/account.ts'
import { fullRepositoryResponse } from '../responses/repository.ts'
import { type PermissionLevel, type Repository, roleOf } from '../state.ts'

/** The role of the person that a token belongs to. Apps have none. */
const callerRole = (repository: Repository, caller: Caller): PermissionLevel | undefined =>
  caller.kind === 'token' && caller.token.kind !== 'installation' ? roleOf(repository, caller.token.user) : undefined

export const repositoryOperations: Operations = {
  'repos/get': defineRepositoryOperation('metadata:read', ({ state, repository, caller }) => ({
    status: 200,
    body: fullRepositoryResponse(state, repository, callerRole(repository, caller)),
  })),

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
}
