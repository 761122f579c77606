import Type from 'typebox'
import type { ModelStore } from '../../models/model-store.ts'
import { type Route, respond, route } from '../route.ts'
import { InstanceModelSchema, toResponse } from './instance-model.ts'
import { ModelParams } from './model-params.ts'

export function removeModelRoute({ models }: { models: ModelStore }): Route {
  return route({
    method: 'DELETE',
    url: '/v2/models/:modelName',
    access: 'operator',
    wantsFreshSession: true,
    name: 'removeModel',
    tag: 'Service',
    summary: 'Remove a model from the installation',
    description: 'With its key. Jobs that are for it get no more answers. Answers with those that are left.',
    schemas: { params: ModelParams, responses: { 200: Type.Object({ models: Type.Array(InstanceModelSchema) }) } },
    refuses: ['not_found'],
    async handle({ params }) {
      await models.remove(params.modelName)
      return respond(200, { models: (await models.list()).map(toResponse) })
    },
  })
}
