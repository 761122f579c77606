import Type from 'typebox'
import type { ModelStore } from '../../models/model-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { InstanceModelSchema, toInstanceModelResponse } from './instance-model.ts'
import { ModelParams } from './model-params.ts'

export function removeModelRoute({ models }: { models: ModelStore }): Route {
  return defineRoute({
    method: 'DELETE',
    url: '/v2/models/:modelName',
    access: 'operator',
    requiresRecentSignIn: true,
    name: 'removeModel',
    tag: 'Service',
    summary: 'Remove a model',
    description:
      'Removes a model and its API key from this instance. Turns of jobs that use the model fail with `model_unavailable`. ' +
      'Returns the remaining models.',
    schemas: {
      params: ModelParams,
      responses: {
        200: Type.Object({ models: Type.Array(InstanceModelSchema, { description: 'All models of this instance.' }) }),
      },
    },
    problems: ['not_found'],
    async handle({ params }) {
      await models.remove(params.modelName)
      return createResponse(200, { models: (await models.list()).map(toInstanceModelResponse) })
    },
  })
}
