import Type, { type Static } from 'typebox'
import type { FoundRepository } from '../../github/tables.ts'
import type { GithubVisitStore, Visitor } from '../../github/visit-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import { type Id, isId } from '../../platform/ids.ts'
import { BranchName, DocsFolder } from '../repository/repository.ts'

export const ChosenRepository = Type.Object(
  {
    visitId: Type.String({ maxLength: 100 }),
    repositoryId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    baseBranch: BranchName,
    docsFolder: DocsFolder,
  },
  {
    additionalProperties: false,
    examples: [
      {
        visitId: 'vst_01k9x2v3w4e5r6t7y8z9a0b1c2',
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
  { visitId, repositoryId }: Static<typeof ChosenRepository>,
): Promise<{ visitId: Id<'vst'>; baseUrl: string; repository: FoundRepository }> {
  const found = isId('vst', visitId) ? await visits.found(visitor, visitId) : undefined
  const repository = found?.repositories.find(({ id }) => id === repositoryId)
  if (!isId('vst', visitId) || !found || !repository)
    throw new Problem(
      'invalid_request',
      'This repository is not among those that GitHub showed for you in the last 15 minutes: go to GitHub once more.',
    )
  return { visitId, baseUrl: found.baseUrl, repository }
}
