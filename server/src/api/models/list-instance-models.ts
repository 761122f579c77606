import Type from 'typebox'
import type { ModelStore } from '../../models/model-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { InstanceModelSchema, toInstanceModelResponse } from './instance-model.ts'

export function listInstanceModelsRoute({ models }: { models: ModelStore }): Route {
  return defineRoute({
    method: 'GET',
    url: '/v2/models',
    access: 'operator',
    name: 'listInstanceModels',
    tag: 'Service',
    summary: 'List all models',
    description: 'Returns all models of this instance with their configuration.',
    schemas: {
      responses: {
        200: Type.Object({ models: Type.Array(InstanceModelSchema, { description: 'All models of this instance.' }) }),
      },
    },
    handle: async () => createResponse(200, { models: (await models.list()).map(toInstanceModelResponse) }),
  })
}
