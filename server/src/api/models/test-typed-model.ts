import { type Route, respond, route } from '../route.ts'
import { readTypedModel, TypedModel } from './instance-model.ts'
import type { ModelProviders } from './model-providers.ts'
import { ModelTestSchema, timeTest } from './model-test.ts'

export function testTypedModelRoute({ modelProviders }: { modelProviders: ModelProviders }): Route {
  return route({
    method: 'POST',
    url: '/v2/models/test', // not below /v2/models, where it would be a model's name
    access: 'operator',
    name: 'testModel',
    tag: 'Service',
    summary: 'Test a model before it is added',
    description: 'With one tiny call. Nothing is stored.',
    schemas: { body: TypedModel, responses: { 200: ModelTestSchema } },
    async handle({ body }) {
      const model = readTypedModel(body)
      return respond(200, await timeTest(() => modelProviders.test(model, body.key)))
    },
  })
}
