import { defaultModel, type Model } from '../models/model.ts'
import { type ModelStore, openModelKey } from '../models/model-store.ts'
import type { Id } from '../platform/ids.ts'
import type { Opener } from '../platform/sealed-secrets/sealed-secret.ts'

export interface ModelActivities {
  /** A short sentence that says what is wrong; null: nothing is. */
  testStoredModel(projectId: string, model: string): Promise<string | null>
}

/** One tiny call. Undefined: it works. */
export type TestModel = (model: Model, key: string | null) => Promise<string | undefined>

const maxSentenceCharacters = 300

export function createModelActivities({
  models,
  opener,
  testModel,
}: {
  models: ModelStore
  opener: Opener
  testModel: TestModel
}): ModelActivities {
  return {
    async testStoredModel(projectId, name) {
      const model = await models.find(projectId as Id<'prj'>, name)
      if (!model) return `The project may use no model ${name === defaultModel ? 'by default' : name}.`
      const wrong = await testModel(model, await openModelKey(model, opener))
      return wrong?.slice(0, maxSentenceCharacters) ?? null
    },
  }
}
