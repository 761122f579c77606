/** The models of the instance, which operators configure. */
import Type from 'typebox'
import type { ModelStore } from '../../models/model-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import { createResponse } from '../../platform/http/route.ts'
import { defineRoute, type Route } from '../route.ts'
import { InstanceModelSchema, ModelInput, parseModelInput, toInstanceModelResponse } from './instance-model.ts'
import type { ModelConnector } from './model-connector.ts'
import { ModelTestResultSchema, timeModelTest } from './model-test-result.ts'

const ModelParams = Type.Object({
  modelName: Type.String({
    maxLength: 100,
    description: 'Name of the model. Write a slash in it as `%2F`.',
    examples: ['sonnet'],
  }),
})

const AllModels = Type.Object({
  models: Type.Array(InstanceModelSchema, { description: 'All models of this instance.' }),
})

export interface InstanceModelRouteDeps {
  models: ModelStore
  modelProviders: ModelConnector
}

export const instanceModelRoutes = ({ models, modelProviders }: InstanceModelRouteDeps): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/v2/models',
    access: 'operator',
    name: 'listInstanceModels',
    tag: 'Service',
    summary: 'List all models',
    description: 'Returns all models of this instance with their configuration.',
    schemas: {
      responses: { 200: AllModels },
    },
    handle: async () => createResponse(200, { models: (await models.list()).map(toInstanceModelResponse) }),
  }),
  defineRoute({
    method: 'POST',
    url: '/v2/model-tests', // not below /v2/models, where `test` would also be the name of a model
    access: 'operator',
    name: 'testModel',
    tag: 'Service',
    summary: 'Test a model',
    description: 'Tests a model with one small call before you add it. Nothing is stored.',
    schemas: { body: ModelInput, responses: { 200: ModelTestResultSchema } },
    async handle({ body }) {
      const model = parseModelInput(body)
      return createResponse(200, await timeModelTest(() => modelProviders.test(model, body.key)))
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/v2/models',
    access: 'operator',
    requiresRecentSignIn: true,
    name: 'addModel',
    tag: 'Service',
    summary: 'Add a model',
    description:
      'Adds a model to this instance. The model is tested first; if the test fails, the request is rejected and nothing ' +
      'is stored.',
    schemas: { body: ModelInput, responses: { 201: InstanceModelSchema } },
    async handle({ body, actor }) {
      const model = parseModelInput(body)
      const failure = await modelProviders.test(model, body.key)
      if (failure) throw new Problem('invalid_request', `${failure} Nothing was saved.`)
      await modelProviders.save(model, body.key, actor)
      return createResponse(201, toInstanceModelResponse({ ...model, hasKey: body.key !== null }))
    },
  }),
  defineRoute({
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
      responses: { 200: AllModels },
    },
    problems: ['not_found'],
    async handle({ params, actor }) {
      await models.remove(params.modelName, actor)
      return createResponse(200, { models: (await models.list()).map(toInstanceModelResponse) })
    },
  }),
  defineRoute({
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
      responses: { 200: AllModels },
    },
    problems: ['not_found'],
    async handle({ params, actor }) {
      await models.setDefault(params.modelName, actor)
      return createResponse(200, { models: (await models.list()).map(toInstanceModelResponse) })
    },
  }),
]
