/** Builds the response to a claim: the turn, with settings of its project and of its model. */
import type { ClaimedAttempt } from '../jobs/attempt-store.ts'
import type { ModelStore } from '../models/model-store.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import { defaultPublishingRules } from '../projects/publishing-rules.ts'
import type { RepositoryStore } from '../projects/repository-store.ts'
import type { ClaimedTurn } from '../runner-wire/runner-wire.ts'

/** Undefined: the job's model no longer exists, or the project may no longer use it. */
export type ClaimedTurnBuilder = (
  claimed: ClaimedAttempt,
) => Promise<Omit<ClaimedTurn, 'attemptToken' | 'heartbeatSeconds'> | undefined>

export function createClaimedTurnBuilder({
  projects,
  repositories,
  models,
}: {
  projects: ProjectStore
  repositories: RepositoryStore
  models: ModelStore
}): ClaimedTurnBuilder {
  return async ({
    projectId,
    turnId,
    startBranch,
    mergeBranch,
    failedMessages,
    deadlineAt,
    secondsLeft,
    session,
    unpublishedWork,
    model: name,
    ...claimed
  }) => {
    const [model, repository, instructions] = await Promise.all([
      models.find(projectId, name),
      repositories.find(projectId),
      projects.readInstructions(projectId),
    ])
    if (!model) return undefined
    const rules = repository?.rules ?? defaultPublishingRules
    const { format, contextWindowTokens: contextTokens, maxOutputTokens } = model
    return {
      turnId,
      prompt: claimed.prompt,
      failedCheck: claimed.failedCheck,
      startBranch,
      mergeBranch,
      failedMessages: [...failedMessages],
      instructions,
      model: model.name,
      modelSettings: { format, contextTokens, maxOutputTokens },
      docsFolder: repository?.docsFolder ?? '',
      changeRules: {
        docsFolders: [repository?.docsFolder ?? '', ...rules.furtherDocsFolders],
        allowedPaths: [...rules.allowedPaths],
        siteGenerator: rules.siteGenerator,
        activeContent: rules.activeContent,
      },
      session: session?.toString('base64') ?? null,
      unpublishedWork: unpublishedWork && { ...unpublishedWork, bundle: unpublishedWork.bundle.toString('base64') },
      deadlineAt: deadlineAt.toISOString(),
      secondsLeft,
    }
  }
}
