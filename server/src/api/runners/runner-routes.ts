import Type from 'typebox'
import type { RunnerStore } from '../../jobs/runner-store.ts'
import { generateKey, hashKey } from '../../keys/key-format.ts'
import { createResponse } from '../../platform/http/route.ts'
import { defineRoute, type Route } from '../route.ts'
import { IdParam, nullable, ProjectParams, SingleLineText } from '../schemas.ts'
import { RunnerSchema, runnerExample, toRunnerResponse } from './runner.ts'

const defaultExpiryDays = 365

const ExpiresInDays = Type.Optional(
  nullable(Type.Integer({ minimum: 1, maximum: 3650 }), {
    default: defaultExpiryDays,
    description: 'Days until the token expires. Null: it never expires.',
  }),
)

const toExpiry = (days: number | null = defaultExpiryDays): Date | null =>
  days === null ? null : new Date(Date.now() + days * 24 * 3600 * 1000)

const RunnerParams = Type.Object({
  ...ProjectParams.properties,
  runnerId: IdParam('ID of the runner.', 'run_01m7ej3d2me9ytw4x6b8k0s5qh'),
})

const Token = Type.String({
  description: 'Token to start the runner with. Only this response contains it, so store it now.',
})

const exampleToken = 'colophon_runner_4mTzQ8rW2nX6vB0kL9sD3fH7jP1cY5gA0Qx7Lw'

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
    description:
      'Creates a runner that gets only turns of this project. Only this response contains its token, which expires after a year by default.',
    requiresRecentSignIn: true,
    schemas: {
      params: ProjectParams,
      body: Type.Object(
        {
          name: SingleLineText({ minLength: 1, maxLength: 100, description: 'Name of the runner.' }),
          expiresInDays: ExpiresInDays,
        },
        { additionalProperties: false, examples: [{ name: 'build machine 1' }] },
      ),
      responses: {
        201: Type.Object(
          {
            runner: RunnerSchema,
            token: Token,
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
                token: exampleToken,
                gatewayUrl: 'https://gateway.example.com',
              },
            ],
          },
        ),
      },
    },
    async handle({ projectId, body, actor }) {
      const token = generateKey('colophon_runner_')
      const { name, expiresInDays } = body
      const input = { name, tokenHash: hashKey(token), expiresAt: toExpiry(expiresInDays) }
      const runner = await runners.createForProject(projectId, input, actor)
      return createResponse(201, { runner: toRunnerResponse(runner), token, gatewayUrl: gatewayUrl ?? null })
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/v2/projects/:projectId/runners/:runnerId/rotate',
    access: 'project:write',
    name: 'rotateRunnerToken',
    tag: 'Projects',
    summary: "Rotate a runner's token",
    description:
      'Creates a new token, which only this response contains. The old token stays valid for the overlap, so that you can ' +
      'replace it without interruption, but not longer than it would have been without the rotation. The token of a shared ' +
      'runner can be rotated only with `colophon-server admin runner rotate`.',
    requiresRecentSignIn: true,
    schemas: {
      params: RunnerParams,
      body: Type.Object(
        {
          overlapHours: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: 168,
              default: 24,
              description: 'How long the old token stays valid, at most 7 days.',
            }),
          ),
          expiresInDays: ExpiresInDays,
        },
        { additionalProperties: false, examples: [{ overlapHours: 24 }] },
      ),
      responses: {
        200: Type.Object(
          { runner: RunnerSchema, token: Token },
          {
            examples: [
              {
                runner: { ...runnerExample, previousTokenExpiresAt: '2026-02-01T12:34:56.000Z' },
                token: exampleToken,
              },
            ],
          },
        ),
      },
    },
    problems: ['insufficient_role'],
    async handle({ projectId, params, body: { overlapHours = 24, expiresInDays }, actor }) {
      const token = generateKey('colophon_runner_')
      const rotation = { tokenHash: hashKey(token), overlapHours, expiresAt: toExpiry(expiresInDays) }
      const runner = await runners.rotateTokenForProject(projectId, params.runnerId, rotation, actor)
      return createResponse(200, { runner: toRunnerResponse(runner), token })
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
      params: RunnerParams,
      responses: { 200: AvailableRunners },
    },
    problems: ['insufficient_role'],
    async handle({ projectId, params, actor }) {
      await runners.revokeForProject(projectId, params.runnerId, actor)
      return createResponse(200, { runners: (await runners.listForProject(projectId)).map(toRunnerResponse) })
    },
  }),
]
