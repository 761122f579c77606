import Type from 'typebox'
import type { StoredModelTester } from '../../models/stored-model-tester.ts'
import { MinuteRateLimit } from '../minute-rate-limit.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { ModelTestResultSchema, timeModelTest } from './model-test-result.ts'

export function testProjectModelRoute({ testStoredModel }: { testStoredModel: StoredModelTester }): Route {
  const tests = new MinuteRateLimit('model tests in this project', 10) // each one costs the operator a model call
  return defineRoute({
    method: 'POST',
    url: '/v2/agent/:projectId/models/test',
    access: 'agent:write',
    name: 'testProjectModel',
    tag: 'Agent jobs',
    summary: 'Test a model of a project',
    description:
      'Tests a model that the project may use with one small call, in the same way as jobs call it. At most 10 tests per ' +
      'project per minute.',
    schemas: {
      params: ProjectParams,
      body: Type.Object(
        {
          model: Type.String({
            minLength: 1,
            maxLength: 100,
            description: 'Name of the model, or `default` for the default model of the project.',
          }),
        },
        { additionalProperties: false, examples: [{ model: 'default' }] },
      ),
      responses: { 200: ModelTestResultSchema },
    },
    problems: ['rate_limited'],
    async handle({ projectId, body }) {
      tests.consume(projectId)
      return createResponse(200, await timeModelTest(() => testStoredModel(projectId, body.model)))
    },
  })
}
