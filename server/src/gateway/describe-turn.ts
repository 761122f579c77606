/** What a runner is told of a turn: the turn itself, and what its project and the operator have to say about it. */
import type { ClaimedAttempt } from '../jobs/attempt-store.ts'
import type { ModelStore } from '../models/model-store.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { RepositoryStore } from '../projects/repository-store.ts'
import type { ClaimedTurn } from '../runner-wire/runner-wire.ts'

/** Undefined: the job's model is gone, or the project may not use it any more. */
export type DescribeTurn = (
  claimed: ClaimedAttempt,
) => Promise<Omit<ClaimedTurn, 'attemptToken' | 'heartbeatSeconds'> | undefined>

export function createDescribeTurn({
  projects,
  repositories,
  models,
}: {
  projects: ProjectStore
  repositories: RepositoryStore
  models: ModelStore
}): DescribeTurn {
  return async ({ projectId, turnId, startBranch, notDone, deadlineAt, session, earlier, model: name, ...claimed }) => {
    const [model, repository, instructions] = await Promise.all([
      models.find(projectId, name),
      repositories.find(projectId),
      projects.readInstructions(projectId),
    ])
    if (!model) return undefined
    const { format: wire, contextWindowTokens: contextTokens, maxOutputTokens } = model
    return {
      turnId,
      prompt: claimed.prompt,
      failedCheck: claimed.failedCheck,
      startBranch,
      notDone: [...notDone],
      instructions,
      model: model.name,
      modelSettings: { wire, contextTokens, maxOutputTokens },
      docsFolder: repository?.docsFolder ?? '',
      session: session?.toString('base64') ?? null,
      earlier: earlier && { ...earlier, bundle: earlier.bundle.toString('base64') },
      deadlineAt: deadlineAt.toISOString(),
    }
  }
}
