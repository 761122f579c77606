import Type from 'typebox'
import type { RunnerStore } from '../../jobs/runner-store.ts'
import { generateKey, hashKey } from '../../keys/key-format.ts'
import { createResponse } from '../../platform/http/route.ts'
import { defineRoute, type Route } from '../route.ts'
import { IdParam, nullable, ProjectParams, SingleLineText } from '../schemas.ts'
import { RunnerSchema, runnerExample, toRunnerResponse } from './runner.ts'

const AvailableRunners = Type.Object({
  runners: Type.Array(RunnerSchema, { description: 'Runners that can run turns of this project, newest first.' }),
})

export interface RunnerRouteDeps {
  runners: RunnerStore
  gatewayUrl: string | undefined
}

export const runnerRoutes = ({ runners, gatewayUrl }: RunnerRouteDeps): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/v2/projects/:projectId/runners',
    access: 'project:read',
    name: 'listRunners',
    tag: 'Projects',
    summary: 'List runners',
    description: 'Returns the runners of a project and the shared runners, newest first. Revoked runners are left out.',
    schemas: {
      params: ProjectParams,
      responses: { 200: AvailableRunners },
    },
    handle: async ({ projectId }) =>
      createResponse(200, { runners: (await runners.listForProject(projectId)).map(toRunnerResponse) }),
  }),
  defineRoute({
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
  }),
  defineRoute({
    method: 'DELETE',
    url: '/v2/projects/:projectId/runners/:runnerId',
    access: 'project:write',
    name: 'revokeRunner',
    tag: 'Projects',
    summary: 'Revoke a runner',
    description:
      "The runner's token becomes invalid immediately: the runner's next call is refused, and the turns that it is working " +
      'on are given to other runners. A shared runner can be revoked only with `colophon-server admin runner revoke`. ' +
      'Revoking a runner again changes nothing. Returns the remaining runners.',
    schemas: {
      params: Type.Object({
        ...ProjectParams.properties,
        runnerId: IdParam('ID of the runner.', 'run_01m7ej3d2me9ytw4x6b8k0s5qh'),
      }),
      responses: { 200: AvailableRunners },
    },
    problems: ['insufficient_role'],
    async handle({ projectId, params, actor }) {
      await runners.revokeForProject(projectId, params.runnerId, actor)
      return createResponse(200, { runners: (await runners.listForProject(projectId)).map(toRunnerResponse) })
    },
  }),
]
