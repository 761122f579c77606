import Type from 'typebox'
import type { TestStoredModel } from '../../models/stored-model-test.ts'
import { MinuteLimit } from '../minute-limit.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { ModelTestSchema, timeTest } from './model-test.ts'

export function testStoredModelRoute({ testStoredModel }: { testStoredModel: TestStoredModel }): Route {
  const tests = new MinuteLimit('tests of models in the project', 10) // each costs the operator a call
  return route({
    method: 'POST',
    url: '/v2/agent/:projectId/models/test',
    access: 'agent:write',
    name: 'testProjectModel',
    tag: 'Agent jobs',
    summary: 'Test a model that a project may use',
    description: 'With one tiny call, as jobs would make it.',
    schemas: {
      params: ProjectParams,
      body: Type.Object(
        { model: Type.String({ minLength: 1, maxLength: 100, description: 'By its name, or `default`.' }) },
        { additionalProperties: false, examples: [{ model: 'default' }] },
      ),
      responses: { 200: ModelTestSchema },
    },
    refuses: ['rate_limited'],
    async handle({ projectId, body }) {
      tests.take(projectId)
      return respond(200, await timeTest(() => testStoredModel(projectId, body.model)))
    },
  })
}
