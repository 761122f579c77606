import { createResponse, defineRoute, type Route } from '../route.ts'
import { ModelInput, parseModelInput } from './instance-model.ts'
import type { ModelConnector } from './model-connector.ts'
import { ModelTestResultSchema, timeModelTest } from './model-test-result.ts'

export function testModelRoute({ modelProviders }: { modelProviders: ModelConnector }): Route {
  return defineRoute({
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
  })
}
