import { type Route, respond, route } from '../route.ts'
import { ModelInput, parseModelInput } from './instance-model.ts'
import type { ModelProviders } from './model-providers.ts'
import { ModelTestSchema, timeModelTest } from './model-test-result.ts'

export function testModelRoute({ modelProviders }: { modelProviders: ModelProviders }): Route {
  return route({
    method: 'POST',
    url: '/v2/model-tests', // not below /v2/models, where `test` would also be the name of a model
    access: 'operator',
    name: 'testModel',
    tag: 'Service',
    summary: 'Test a model',
    description: 'Tests a model with one small call before you add it. Nothing is stored.',
    schemas: { body: ModelInput, responses: { 200: ModelTestSchema } },
    async handle({ body }) {
      const model = parseModelInput(body)
      return respond(200, await timeModelTest(() => modelProviders.test(model, body.key)))
    },
  })
}
