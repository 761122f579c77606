/** A default model for all projects, at a URL that does not exist, for runners that do not run an agent. */
import type { Model } from '../server/src/models/model.ts'
import type { ModelStore } from '../server/src/models/model-store.ts'
import { createSealer } from '../server/src/platform/sealed-secrets/sealed-secret.ts'
import { generateSealingKeyPair, parseSealingPublicKeys } from '../server/src/platform/sealed-secrets/sealing-keys.ts'

const testModel: Model = {
  name: 'test-model',
  format: 'anthropic-messages',
  baseUrl: 'http://model.invalid/v1',
  providerModel: 'test-model',
  contextWindowTokens: 200_000,
  maxOutputTokens: 64_000,
  prices: { input: null, output: null, cacheRead: null, cacheWrite: null },
  projectIds: null,
  isDefault: true,
}

export async function addTestModel(models: ModelStore): Promise<void> {
  const sealing = parseSealingPublicKeys(generateSealingKeyPair().publicEntry)
  if (!sealing.ok) throw new Error('The generated sealing keys are invalid.')
  await models.add(testModel, null, createSealer(sealing.keys))
}
