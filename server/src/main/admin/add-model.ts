/** Adds a model after testing it with one tiny call. */
import { testModel } from '../../gateway/model/test-model.ts'
import { defaultModelAlias, type Model, modelFormats, modelNamePattern, normalizeBaseUrl } from '../../models/model.ts'
import type { EgressConfig } from '../../platform/config.ts'
import { createEgressFor } from '../../platform/egress/create-egress-for.ts'
import { UsageError } from '../usage-error.ts'

const price = 'in US dollars per million tokens'

/** The options of `admin model add` that describe the model itself. */
export const addModelOptions = {
  name: { placeholder: 'NAME', description: 'Name of the model in Colophon', required: true },
  format: { placeholder: 'FORMAT', description: `API format: ${modelFormats.join(', ')}`, required: true },
  url: {
    placeholder: 'URL',
    description: 'Base URL of the provider, such as https://api.anthropic.com/v1',
    required: true,
  },
  'context-window': { placeholder: 'N', description: 'Size of the context window in tokens', required: true },
  'max-output': { placeholder: 'N', description: 'Maximum output of a call in tokens', required: true },
  'provider-model': {
    placeholder: 'NAME',
    description: "The provider's name for the model; the value of --name if omitted",
  },
  'input-price': { placeholder: 'USD', description: `Price of input ${price}` },
  'output-price': { placeholder: 'USD', description: `Price of output ${price}` },
  'cache-read-price': { placeholder: 'USD', description: `Price of cache reads ${price}` },
  'cache-write-price': { placeholder: 'USD', description: `Price of cache writes ${price}` },
} as const

export type AddModelOptionValues = { readonly [Name in keyof typeof addModelOptions]?: string | undefined }

/** Converts the option values of `admin model add`. */
export function parseAddModelOptions(values: AddModelOptionValues): Omit<Model, 'projectIds' | 'isDefault'> {
  const name = values.name ?? ''
  if (!modelNamePattern.test(name) || name === defaultModelAlias)
    throw new UsageError(
      `--name must consist of at most 100 letters, digits and . _ : / - and must not be "${defaultModelAlias}".`,
    )
  const format = modelFormats.find((known) => known === values.format)
  if (!format) throw new UsageError(`--format must be one of ${modelFormats.join(', ')}.`)
  return {
    name,
    format,
    baseUrl: parseBaseUrl(values.url),
    providerModel: values['provider-model'] ?? name,
    contextWindowTokens: parseTokens(values, 'context-window'),
    maxOutputTokens: parseTokens(values, 'max-output'),
    prices: {
      input: parsePrice(values, 'input-price'),
      output: parsePrice(values, 'output-price'),
      cacheRead: parsePrice(values, 'cache-read-price'),
      cacheWrite: parsePrice(values, 'cache-write-price'),
    },
  }
}

/** Makes one tiny call to a model that is not saved. Returns undefined if it works, and a message otherwise. */
export async function testUnsavedModel(
  config: { egress: EgressConfig },
  model: Model,
  key: string | null,
  timeoutMs?: number,
): Promise<string | undefined> {
  const egress = createEgressFor('models', config.egress)
  try {
    return await testModel(model, key, egress, timeoutMs)
  } finally {
    await egress.close()
  }
}

function parseBaseUrl(text: string | undefined): string {
  const url = normalizeBaseUrl(text ?? '')
  if (!url)
    throw new UsageError('--url must be a URL that includes the API version, such as https://api.anthropic.com/v1.')
  return url
}

function parseTokens(values: AddModelOptionValues, name: 'context-window' | 'max-output'): number {
  const number = Number(values[name])
  if (!(Number.isInteger(number) && number > 0 && number <= 1e9))
    throw new UsageError(`--${name} must be a number of tokens.`)
  return number
}

function parsePrice(
  values: AddModelOptionValues,
  name: `${'input' | 'output' | 'cache-read' | 'cache-write'}-price`,
): string | null {
  const value = values[name]
  if (value === undefined) return null
  if (!/^\d{1,6}(\.\d{1,6})?$/.test(value))
    throw new UsageError(`--${name} must be an amount in US dollars per million tokens, such as 0.25.`)
  return value
}
