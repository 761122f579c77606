import Type, { type Static } from 'typebox'
import { defaultModelAlias, type Model, modelFormats, normalizeBaseUrl, type Prices } from '../../models/model.ts'
import type { InstanceModel } from '../../models/model-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { Id } from '../../platform/ids.ts'
import { nullable } from '../schemas.ts'

const price = (tokens: string) =>
  nullable(Type.Number({ minimum: 0, maximum: 999_999 }), {
    description: `Price of a million ${tokens}, in US dollars. Null if it is not known.`,
  })

const sharedFields = {
  name: Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}$',
    description: 'Name of the model in this instance. Jobs choose a model by this name.',
  }),
  format: Type.Enum(modelFormats, { description: 'API format of the provider.' }),
  baseUrl: Type.String({
    maxLength: 500,
    description:
      'Base URL of the API of the provider, including the version, for example `https://api.anthropic.com/v1`.',
  }),
  providerModel: Type.String({ minLength: 1, maxLength: 200, description: 'Name of the model at its provider.' }),
  contextWindowTokens: Type.Integer({
    minimum: 1,
    maximum: 1e9,
    description: 'Size of the context window of the model, in tokens.',
  }),
  maxOutputTokens: Type.Integer({
    minimum: 1,
    maximum: 1e9,
    description: 'Maximum number of tokens in one response of the model.',
  }),
  prices: Type.Object(
    {
      input: price('input tokens'),
      output: price('output tokens'),
      cacheRead: price('input tokens that are read from the cache of the provider'),
      cacheWrite: price('input tokens that are written to the cache of the provider'),
    },
    { additionalProperties: false, description: 'Prices of the model, in US dollars per million tokens.' },
  ),
  projectIds: nullable(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 1_000 }), {
    description: 'IDs of the projects that may use the model. Null if all projects may.',
  }),
  isDefault: Type.Boolean({
    description: 'Whether jobs use this model if neither the job nor its project names one.',
  }),
}

const modelExample = {
  name: 'sonnet',
  format: 'anthropic-messages',
  baseUrl: 'https://api.anthropic.com/v1',
  providerModel: 'claude-sonnet-4-5',
  contextWindowTokens: 200_000,
  maxOutputTokens: 64_000,
  prices: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  projectIds: null,
  isDefault: true,
}

export const InstanceModelSchema = Type.Object(
  {
    ...sharedFields,
    hasKey: Type.Boolean({
      description: 'Whether an API key of the provider is stored for the model. The key is never returned.',
    }),
  },
  {
    $id: 'InstanceModel',
    description: 'A model of this instance with its configuration.',
    examples: [{ ...modelExample, hasKey: true }],
  },
)

export const ModelInput = Type.Object(
  {
    ...sharedFields,
    key: nullable(Type.String({ minLength: 1, maxLength: 1_000, pattern: '^[!-~]+$' }), {
      description:
        'API key of the provider. It is stored encrypted and never returned. Null if the provider does not need one.',
    }),
  },
  { additionalProperties: false, examples: [{ ...modelExample, key: 'sk-ant-api03-example' }] },
)

export function parseModelInput(input: Static<typeof ModelInput>): Model {
  if (input.name === defaultModelAlias) throw invalid('body/name', `cannot be ${defaultModelAlias}`)
  const baseUrl = normalizeBaseUrl(input.baseUrl)
  if (baseUrl === undefined) throw invalid('body/baseUrl', 'must be a URL like https://api.anthropic.com/v1')
  const { key: _, prices, projectIds, ...model } = input
  return { ...model, baseUrl, prices: toPrices(prices), projectIds: projectIds as Id<'prj'>[] | null }
}

const invalid = (path: string, message: string) =>
  new Problem('invalid_request', `${path} ${message}.`, { errors: [{ path, message }] })

const toPrices = ({ input, output, cacheRead, cacheWrite }: Static<typeof ModelInput>['prices']): Prices => ({
  input: toDecimal(input),
  output: toDecimal(output),
  cacheRead: toDecimal(cacheRead),
  cacheWrite: toDecimal(cacheWrite),
})

const toDecimal = (number: number | null) => (number === null ? null : number.toFixed(6).replace(/\.?0+$/, ''))
const toNumber = (text: string | null) => (text === null ? null : Number(text))

export const toInstanceModelResponse = ({
  prices,
  projectIds,
  ...model
}: InstanceModel): Static<typeof InstanceModelSchema> => ({
  ...model,
  prices: {
    input: toNumber(prices.input),
    output: toNumber(prices.output),
    cacheRead: toNumber(prices.cacheRead),
    cacheWrite: toNumber(prices.cacheWrite),
  },
  projectIds: projectIds && [...projectIds],
})
