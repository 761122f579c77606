import Type, { type Static } from 'typebox'
import type { GithubVisitStore, Visitor } from '../../github/authorization-store.ts'
import type { FoundRepository } from '../../github/tables.ts'
import { Problem } from '../../platform/http/problem.ts'
import { type Id, isId } from '../../platform/ids.ts'
import { BranchName, DocsFolder } from '../repository/repository.ts'

export const ChosenRepository = Type.Object(
  {
    authorizationId: Type.String({ maxLength: 100 }),
    repositoryId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
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

/** Only what GitHub showed to this person's own token on their way for this project. */
export async function findChosen(
  visits: GithubVisitStore,
  visitor: Visitor,
  { authorizationId, repositoryId }: Static<typeof ChosenRepository>,
): Promise<{ authorizationId: Id<'gha'>; baseUrl: string; repository: FoundRepository }> {
  const found = isId('gha', authorizationId) ? await visits.found(visitor, authorizationId) : undefined
  const repository = found?.repositories.find(({ id }) => id === repositoryId)
  if (!isId('gha', authorizationId) || !found || !repository)
    throw new Problem(
      'invalid_request',
      'This repository is not among those that GitHub showed for you in the last 15 minutes: go to GitHub once more.',
    )
  return { authorizationId, baseUrl: found.baseUrl, repository }
}
