import Type, { type Static } from 'typebox'
import type { AuthorizationOwner, GithubAuthorizationStore } from '../../github/authorization-store.ts'
import type { WritableRepository } from '../../github/tables.ts'
import { Problem } from '../../platform/http/problem.ts'
import { type Id, isId } from '../../platform/ids.ts'
import { BranchName, DocsFolder } from '../repository/repository.ts'

export const ChosenRepositoryBody = Type.Object(
  {
    authorizationId: Type.String({
      maxLength: 100,
      description: 'ID of the authorization, as `completeGithubAuthorization` returned it.',
    }),
    repositoryId: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'ID of the repository on GitHub, as `completeGithubAuthorization` returned it.',
    }),
    baseBranch: BranchName,
    docsFolder: DocsFolder,
  },
  {
    additionalProperties: false,
    examples: [
      {
        authorizationId: 'gha_01k9x2v3w4e5r6t7y8z9a0b1c2',
        repositoryId: 1296269,
        baseBranch: 'main',
        docsFolder: 'docs',
      },
    ],
  },
)

/** Finds only repositories that GitHub returned for this person's own token, in an authorization for this project. */
export async function findChosenRepository(
  authorizations: GithubAuthorizationStore,
  owner: AuthorizationOwner,
  { authorizationId, repositoryId }: Static<typeof ChosenRepositoryBody>,
): Promise<{ authorizationId: Id<'gha'>; baseUrl: string; repository: WritableRepository }> {
  const found = isId('gha', authorizationId) ? await authorizations.findRepositories(owner, authorizationId) : undefined
  const repository = found?.repositories.find(({ id }) => id === repositoryId)
  if (!isId('gha', authorizationId) || !found || !repository)
    throw new Problem(
      'invalid_request',
      'This repository is not among those that you authorized on GitHub in the last 15 minutes. Start the authorization again.',
    )
  return { authorizationId, baseUrl: found.baseUrl, repository }
}
