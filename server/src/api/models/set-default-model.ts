import Type from 'typebox'
import type { ModelStore } from '../../models/model-store.ts'
import { type Route, respond, route } from '../route.ts'
import { InstanceModelSchema, toResponse } from './instance-model.ts'
import { ModelParams } from './model-params.ts'

export function setDefaultModelRoute({ models }: { models: ModelStore }): Route {
  return route({
    method: 'POST',
    url: '/v2/models/:modelName/default',
    access: 'operator',
    wantsFreshSession: true,
    name: 'setDefaultModel',
    tag: 'Service',
    summary: "Make a model the installation's default",
    description: 'For jobs that name no model, in projects that chose none.',
    schemas: {
      params: ModelParams,
      responses: { 200: Type.Object({ models: Type.Array(InstanceModelSchema) }) },
    },
    refuses: ['not_found'],
    async handle({ params }) {
      await models.makeDefault(params.modelName)
      return respond(200, { models: (await models.list()).map(toResponse) })
    },
  })
}
