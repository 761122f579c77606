import { Problem } from '../../platform/http/problem.ts'
import { type Route, respond, route } from '../route.ts'
import { InstanceModelSchema, readTypedModel, TypedModel, toResponse } from './instance-model.ts'
import type { ModelProviders } from './model-providers.ts'

export function addModelRoute({ modelProviders }: { modelProviders: ModelProviders }): Route {
  return route({
    method: 'POST',
    url: '/v2/models',
    access: 'operator',
    wantsFreshSession: true,
    name: 'addModel',
    tag: 'Service',
    summary: 'Add a model to the installation',
    description: 'Tested first; what does not work is refused and nothing is stored.',
    schemas: { body: TypedModel, responses: { 201: InstanceModelSchema } },
    async handle({ body }) {
      const model = readTypedModel(body)
      const wrong = await modelProviders.test(model, body.key)
      if (wrong) throw new Problem('invalid_request', `${wrong} Nothing was saved.`)
      await modelProviders.save(model, body.key)
      return respond(201, toResponse({ ...model, hasKey: body.key !== null }))
    },
  })
}
