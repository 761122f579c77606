/** The models that a project may use. */
import Type from 'typebox'
import type { Model } from '../../models/model.ts'
import type { ModelStore } from '../../models/model-store.ts'
import type { StoredModelTester } from '../../models/stored-model-tester.ts'
import { createResponse } from '../../platform/http/route.ts'
import { MinuteRateLimit } from '../minute-rate-limit.ts'
import { defineRoute, type Route } from '../route.ts'
import { nullable, ProjectParams } from '../schemas.ts'
import { ModelTestResultSchema, timeModelTest } from './model-test-result.ts'

const price = (tokens: string) =>
  nullable(Type.Number({ minimum: 0 }), {
    description: `Price of a million ${tokens}, in US dollars. Null if it is not known.`,
  })

const AgentModel = Type.Object(
  {
    name: Type.String({ description: 'Name of the model. Send it as `model` when you create a job.' }),
    isDefault: Type.Boolean({ description: 'Whether jobs of the project use this model unless they name one.' }),
    contextWindowTokens: Type.Integer({ description: 'Size of the context window of the model, in tokens.' }),
    maxOutputTokens: Type.Integer({ description: 'Maximum number of tokens in one response of the model.' }),
    prices: Type.Object(
      {
        input: price('input tokens'),
        output: price('output tokens'),
        cacheRead: price('input tokens that are read from the cache of the provider'),
        cacheWrite: price('input tokens that are written to the cache of the provider'),
      },
      { description: 'Prices of the model, in US dollars per million tokens.' },
    ),
  },
  {
    $id: 'AgentModel',
    description: 'A model that jobs of a project may use.',
    examples: [
      {
        name: 'sonnet',
        isDefault: true,
        contextWindowTokens: 200_000,
        maxOutputTokens: 64_000,
        prices: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
      },
    ],
  },
)

export interface ProjectModelRouteDeps {
  models: ModelStore
  testStoredModel: StoredModelTester
}

export function projectModelRoutes({ models, testStoredModel }: ProjectModelRouteDeps): Route[] {
  const modelTests = new MinuteRateLimit('model tests in this project', 10) // each one costs the operator a model call
  return [
    defineRoute({
      method: 'GET',
      url: '/v2/agent/:projectId/models',
      access: 'agent:read',
      name: 'listModels',
      tag: 'Agent jobs',
      summary: 'List models',
      description: 'Returns the models that jobs of a project may use, by name. Operators configure them.',
      schemas: {
        params: ProjectParams,
        responses: {
          200: Type.Object({
            models: Type.Array(AgentModel, { description: 'Models that jobs of the project may use, by name.' }),
          }),
        },
      },
      async handle({ projectId }) {
        return createResponse(200, { models: (await models.listFor(projectId)).map(toResponse) })
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/v2/agent/:projectId/models/test',
      access: 'agent:write',
      name: 'testProjectModel',
      tag: 'Agent jobs',
      summary: 'Test a model of a project',
      description:
        'Tests a model that the project may use with one small call, in the same way as jobs call it. At most 10 tests per ' +
        'project per minute.',
      schemas: {
        params: ProjectParams,
        body: Type.Object(
          {
            model: Type.String({
              minLength: 1,
              maxLength: 100,
              description: 'Name of the model, or `default` for the default model of the project.',
            }),
          },
          { additionalProperties: false, examples: [{ model: 'default' }] },
        ),
        responses: { 200: ModelTestResultSchema },
      },
      problems: ['rate_limited'],
      async handle({ projectId, body }) {
        modelTests.consume(projectId)
        return createResponse(200, await timeModelTest(() => testStoredModel(projectId, body.model)))
      },
    }),
  ]
}

const toResponse = ({ name, isDefault, contextWindowTokens, maxOutputTokens, prices }: Model) => ({
  name,
  isDefault,
  contextWindowTokens,
  maxOutputTokens,
  prices: {
    input: toNumber(prices.input),
    output: toNumber(prices.output),
    cacheRead: toNumber(prices.cacheRead),
    cacheWrite: toNumber(prices.cacheWrite),
  },
})

const toNumber = (text: string | null) => (text === null ? null : Number(text))
