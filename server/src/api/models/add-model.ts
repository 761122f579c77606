import { Problem } from '../../platform/http/problem.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { InstanceModelSchema, ModelInput, parseModelInput, toInstanceModelResponse } from './instance-model.ts'
import type { ModelConnector } from './model-connector.ts'

export function addModelRoute({ modelProviders }: { modelProviders: ModelConnector }): Route {
  return defineRoute({
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
    async handle({ body }) {
      const model = parseModelInput(body)
      const failure = await modelProviders.test(model, body.key)
      if (failure) throw new Problem('invalid_request', `${failure} Nothing was saved.`)
      await modelProviders.save(model, body.key)
      return createResponse(201, toInstanceModelResponse({ ...model, hasKey: body.key !== null }))
    },
  })
}
