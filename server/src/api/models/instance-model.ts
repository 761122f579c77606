import Type, { type Static } from 'typebox'
import { defaultModel, type Model, modelFormats, type Prices, plainBaseUrl } from '../../models/model.ts'
import type { InstanceModel } from '../../models/model-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { Id } from '../../platform/ids.ts'
import { nullable } from '../schemas.ts'

const price = (of: string) =>
  nullable(Type.Number({ minimum: 0, maximum: 999_999 }), {
    description: `US dollars per million tokens ${of}. Null: not known.`,
  })

const known = {
  name: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}$', description: 'What jobs call it.' }),
  format: Type.Enum(modelFormats, { description: 'How the provider is spoken to.' }),
  baseUrl: Type.String({ maxLength: 500, description: 'With its version, like `https://api.anthropic.com/v1`.' }),
  providerModel: Type.String({ minLength: 1, maxLength: 200, description: 'What its provider calls it.' }),
  contextWindowTokens: Type.Integer({ minimum: 1, maximum: 1e9 }),
  maxOutputTokens: Type.Integer({ minimum: 1, maximum: 1e9, description: 'In one answer.' }),
  prices: Type.Object(
    {
      input: price('read'),
      output: price('written'),
      cacheRead: price("read from the provider's cache"),
      cacheWrite: price("read and put into the provider's cache"),
    },
    { additionalProperties: false },
  ),
  projectIds: nullable(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 1_000 }), {
    description: 'Null: for all projects.',
  }),
  isDefault: Type.Boolean({ description: 'Used by jobs that name no model, in projects that chose none.' }),
}

export const InstanceModelSchema = Type.Object(
  { ...known, hasKey: Type.Boolean({ description: 'Whether a key is stored for it. It is never shown.' }) },
  { $id: 'InstanceModel' },
)

export const TypedModel = Type.Object(
  {
    ...known,
    key: nullable(Type.String({ minLength: 1, maxLength: 1_000, pattern: '^[!-~]+$' }), {
      description: "The provider's key; null: it wants none. Sealed when stored, and never shown again.",
    }),
  },
  {
    additionalProperties: false,
    examples: [
      {
        name: 'sonnet',
        format: 'anthropic-messages',
        baseUrl: 'https://api.anthropic.com/v1',
        providerModel: 'claude-sonnet',
        contextWindowTokens: 200_000,
        maxOutputTokens: 64_000,
        prices: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
        projectIds: null,
        isDefault: true,
        key: 'a-key',
      },
    ],
  },
)

export function readTypedModel(typed: Static<typeof TypedModel>): Model {
  if (typed.name === defaultModel) throw invalid('body/name', `cannot be ${defaultModel}`)
  const baseUrl = plainBaseUrl(typed.baseUrl)
  if (baseUrl === undefined) throw invalid('body/baseUrl', 'has to be an address like https://api.anthropic.com/v1')
  const { key: _, prices, projectIds, ...same } = typed
  return { ...same, baseUrl, prices: asPrices(prices), projectIds: projectIds as Id<'prj'>[] | null }
}

const invalid = (path: string, message: string) =>
  new Problem('invalid_request', `${path} ${message}.`, { errors: [{ path, message }] })

const asPrices = ({ input, output, cacheRead, cacheWrite }: Static<typeof TypedModel>['prices']): Prices => ({
  input: asDecimal(input),
  output: asDecimal(output),
  cacheRead: asDecimal(cacheRead),
  cacheWrite: asDecimal(cacheWrite),
})

const asDecimal = (number: number | null) => (number === null ? null : number.toFixed(6).replace(/\.?0+$/, ''))
const asNumber = (text: string | null) => (text === null ? null : Number(text))

export const toResponse = ({ prices, projectIds, ...model }: InstanceModel): Static<typeof InstanceModelSchema> => ({
  ...model,
  prices: {
    input: asNumber(prices.input),
    output: asNumber(prices.output),
    cacheRead: asNumber(prices.cacheRead),
    cacheWrite: asNumber(prices.cacheWrite),
  },
  projectIds: projectIds && [...projectIds],
})
