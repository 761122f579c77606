import Type from 'typebox'
import type { ModelStore } from '../../models/model-store.ts'
import { answer, type Route, route } from '../route.ts'
import { asAnswer, InstalledModelSchema } from './installed-model.ts'

export function listInstalledModelsRoute({ models }: { models: ModelStore }): Route {
  return route({
    method: 'GET',
    url: '/v2/models',
    access: 'operator',
    name: 'listInstalledModels',
    tag: 'Service',
    summary: 'All models of the installation',
    schemas: { answers: { 200: Type.Object({ models: Type.Array(InstalledModelSchema) }) } },
    handle: async () => answer(200, { models: (await models.list()).map(asAnswer) }),
  })
}
