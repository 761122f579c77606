import Type from 'typebox'
import type { ModelStore } from '../../models/model-store.ts'
import { type Route, respond, route } from '../route.ts'
import { InstanceModelSchema, toResponse } from './instance-model.ts'

export function listInstanceModelsRoute({ models }: { models: ModelStore }): Route {
  return route({
    method: 'GET',
    url: '/v2/models',
    access: 'operator',
    name: 'listInstanceModels',
    tag: 'Service',
    summary: 'All models of the installation',
    schemas: { responses: { 200: Type.Object({ models: Type.Array(InstanceModelSchema) }) } },
    handle: async () => respond(200, { models: (await models.list()).map(toResponse) }),
  })
}
