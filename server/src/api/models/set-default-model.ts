import Type from 'typebox'
import type { ModelStore } from '../../models/model-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { InstanceModelSchema, toInstanceModelResponse } from './instance-model.ts'
import { ModelParams } from './model-params.ts'

export function setDefaultModelRoute({ models }: { models: ModelStore }): Route {
  return defineRoute({
    method: 'POST',
    url: '/v2/models/:modelName/default',
    access: 'operator',
    requiresRecentSignIn: true,
    name: 'setDefaultModel',
    tag: 'Service',
    summary: 'Set the default model',
    description:
      'Makes a model the default of this instance: jobs use it if neither the job nor its project names a model. Returns ' +
      'all models.',
    schemas: {
      params: ModelParams,
      responses: {
        200: Type.Object({ models: Type.Array(InstanceModelSchema, { description: 'All models of this instance.' }) }),
      },
    },
    problems: ['not_found'],
    async handle({ params }) {
      await models.setDefault(params.modelName)
      return createResponse(200, { models: (await models.list()).map(toInstanceModelResponse) })
    },
  })
}
