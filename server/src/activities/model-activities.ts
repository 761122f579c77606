import { defaultModelAlias, type Model } from '../models/model.ts'
import { type ModelStore, openModelKey } from '../models/model-store.ts'
import type { Id } from '../platform/ids.ts'
import type { Opener } from '../platform/sealed-secrets/sealed-secret.ts'

export interface ModelActivities {
  /** Returns a short error message, or null if the model works. */
  testStoredModel(projectId: string, model: string): Promise<string | null>
}

/** Makes one minimal call. Returns an error message, or undefined if the model works. */
export type ModelTester = (model: Model, key: string | null) => Promise<string | undefined>

const maxMessageCharacters = 300

export function createModelActivities({
  models,
  opener,
  testModel,
}: {
  models: ModelStore
  opener: Opener
  testModel: ModelTester
}): ModelActivities {
  return {
    async testStoredModel(projectId, name) {
      const model = await models.find(projectId as Id<'prj'>, name)
      if (!model)
        return name === defaultModelAlias
          ? 'The project has no default model.'
          : `The project has no model named ${name}.`
      const error = await testModel(model, await openModelKey(model, opener))
      return error?.slice(0, maxMessageCharacters) ?? null
    },
  }
}
