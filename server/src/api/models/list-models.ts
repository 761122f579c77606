import Type from 'typebox'
import type { Model } from '../../models/model.ts'
import type { ModelStore } from '../../models/model-store.ts'
import { type Route, respond, route } from '../route.ts'
import { nullable, ProjectParams } from '../schemas.ts'

const price = (of: string) =>
  nullable(Type.Number({ minimum: 0 }), { description: `US dollars per million tokens ${of}. Null: not known.` })

const AgentModel = Type.Object(
  {
    name: Type.String({ description: 'What to give as `model` when a job is created.' }),
    isDefault: Type.Boolean({ description: 'Used by jobs that name no model.' }),
    contextWindowTokens: Type.Integer(),
    maxOutputTokens: Type.Integer({ description: 'In one answer.' }),
    prices: Type.Object({
      input: price('read'),
      output: price('written'),
      cacheRead: price("read from the provider's cache"),
      cacheWrite: price("read and put into the provider's cache"),
    }),
  },
  { $id: 'AgentModel' },
)

export function listModelsRoute({ models }: { models: ModelStore }): Route {
  return route({
    method: 'GET',
    url: '/v2/agent/:projectId/models',
    access: 'agent:read',
    name: 'listModels',
    tag: 'Agent jobs',
    summary: 'The models that jobs of a project may use',
    description: 'By name. The operator configures them.',
    schemas: { params: ProjectParams, responses: { 200: Type.Object({ models: Type.Array(AgentModel) }) } },
    async handle({ projectId }) {
      return respond(200, { models: (await models.listFor(projectId)).map(toResponse) })
    },
  })
}

const toResponse = ({ name, isDefault, contextWindowTokens, maxOutputTokens, prices }: Model) => ({
  name,
  isDefault,
  contextWindowTokens,
  maxOutputTokens,
  prices: {
    input: asNumber(prices.input),
    output: asNumber(prices.output),
    cacheRead: asNumber(prices.cacheRead),
    cacheWrite: asNumber(prices.cacheWrite),
  },
})

const asNumber = (text: string | null) => (text === null ? null : Number(text))
