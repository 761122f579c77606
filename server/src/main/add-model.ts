/** Adds a model: tested with one tiny call before anything is saved. */
import type { Pool } from 'pg'
import { testModel } from '../gateway/model/test-model.ts'
import { defaultModel, type Model, modelFormats, modelNamePattern, plainBaseUrl } from '../models/model.ts'
import { ModelStore } from '../models/model-store.ts'
import type { ModelTables } from '../models/tables.ts'
import type { EgressConfig } from '../platform/config.ts'
import { createEgress } from '../platform/egress/egress.ts'
import { createDatabase } from '../platform/postgres.ts'
import { createSealer } from '../platform/sealed-secrets/sealed-secret.ts'
import type { SealingPublicKeys } from '../platform/sealed-secrets/sealing-keys.ts'
import { UsageError } from './usage-error.ts'

export const modelOptionNames = [
  'format',
  'provider-model',
  'context-window',
  'max-output',
  'input-price',
  'output-price',
  'cache-read-price',
  'cache-write-price',
]

export type TypedModel = Partial<Record<(typeof modelOptionNames)[number] | 'name' | 'url', string>>

/** From what was typed. */
export function readModel(typed: TypedModel): Omit<Model, 'projectIds' | 'isDefault'> {
  const name = typed.name ?? ''
  if (!modelNamePattern.test(name) || name === defaultModel)
    throw new UsageError(`--name has to be of letters, digits and . _ : / -, at most 100, and not ${defaultModel}.`)
  const format = modelFormats.find((known) => known === typed.format)
  if (!format) throw new UsageError(`--format has to be one of ${modelFormats.join(', ')}.`)
  return {
    name,
    format,
    baseUrl: baseUrl(typed.url),
    providerModel: typed['provider-model'] ?? name,
    contextWindowTokens: tokens(typed, 'context-window'),
    maxOutputTokens: tokens(typed, 'max-output'),
    prices: {
      input: price(typed, 'input-price'),
      output: price(typed, 'output-price'),
      cacheRead: price(typed, 'cache-read-price'),
      cacheWrite: price(typed, 'cache-write-price'),
    },
  }
}

/** One tiny call with what was typed. Undefined: it works; else what is wrong, in words. */
export async function testTypedModel(
  config: { egress: EgressConfig },
  model: Model,
  key: string | null,
  patienceMs?: number,
): Promise<string | undefined> {
  const egress = createEgress(config.egress)
  try {
    return await testModel(model, key, egress, patienceMs)
  } finally {
    await egress.close()
  }
}

export const saveModel = (
  pool: Pool,
  config: { sealingKeys: SealingPublicKeys },
  model: Model,
  key: string | null,
): Promise<void> => new ModelStore(createDatabase<ModelTables>(pool)).add(model, key, createSealer(config.sealingKeys))

function baseUrl(typed: string | undefined): string {
  const url = plainBaseUrl(typed ?? '')
  if (!url) throw new UsageError('--url has to be an address with its version, like https://api.anthropic.com/v1.')
  return url
}

function tokens(typed: TypedModel, name: 'context-window' | 'max-output'): number {
  const number = Number(typed[name])
  if (!(Number.isInteger(number) && number > 0 && number <= 1e9))
    throw new UsageError(`--${name} has to be a number of tokens.`)
  return number
}

function price(typed: TypedModel, name: `${'input' | 'output' | 'cache-read' | 'cache-write'}-price`): string | null {
  const value = typed[name]
  if (value === undefined) return null
  if (!/^\d{1,6}(\.\d{1,6})?$/.test(value))
    throw new UsageError(`--${name} has to be in US dollars per million tokens, like 0.25.`)
  return value
}
