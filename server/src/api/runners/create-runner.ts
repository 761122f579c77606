import Type from 'typebox'
import type { RunnerStore } from '../../jobs/runner-store.ts'
import { generateKey, hashKey } from '../../keys/key-format.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { nullable, ProjectParams, SingleLineText } from '../schemas.ts'
import { RunnerSchema, runnerExample, toRunnerResponse } from './runner.ts'

export function createRunnerRoute({
  runners,
  gatewayUrl,
}: {
  runners: RunnerStore
  gatewayUrl: string | undefined
}): Route {
  return defineRoute({
    method: 'POST',
    url: '/v2/projects/:projectId/runners',
    access: 'project:write',
    name: 'createRunner',
    tag: 'Projects',
    summary: 'Create a runner',
    description: 'Creates a runner that gets only turns of this project. Only this response contains its token.',
    requiresRecentSignIn: true,
    schemas: {
      params: ProjectParams,
      body: Type.Object(
        { name: SingleLineText({ minLength: 1, maxLength: 100, description: 'Name of the runner.' }) },
        { additionalProperties: false, examples: [{ name: 'build machine 1' }] },
      ),
      responses: {
        201: Type.Object(
          {
            runner: RunnerSchema,
            token: Type.String({
              description: 'Token to start the runner with. Only this response contains it, so store it now.',
            }),
            gatewayUrl: nullable(Type.String(), {
              description:
                'URL of the gateway to start the runner with. A URL with `localhost` works only on the machine of the ' +
                'server. Null if the URL is not known.',
            }),
          },
          {
            examples: [
              {
                runner: { ...runnerExample, isOnline: false, lastSeenAt: null },
                token: 'colophon_runner_4mTzQ8rW2nX6vB0kL9sD3fH7jP1cY5gA0Qx7Lw',
                gatewayUrl: 'https://gateway.example.com',
              },
            ],
          },
        ),
      },
    },
    async handle({ projectId, body, actor }) {
      const token = generateKey('colophon_runner_')
      const runner = await runners.createForProject(projectId, body.name, hashKey(token), actor)
      return createResponse(201, { runner: toRunnerResponse(runner), token, gatewayUrl: gatewayUrl ?? null })
    },
  })
}
