import Type from 'typebox'
import type { RunnerStore } from '../../jobs/runner-store.ts'
import { generateKey, hashOfKey } from '../../keys/key-format.ts'
import { type Route, respond, route } from '../route.ts'
import { nullable, OneLine, ProjectParams } from '../schemas.ts'
import { RunnerSchema, toResponse } from './runner.ts'

export function createRunnerRoute({
  runners,
  gatewayUrl,
}: {
  runners: RunnerStore
  gatewayUrl: string | undefined
}): Route {
  return route({
    method: 'POST',
    url: '/v2/projects/:projectId/runners',
    access: 'project:write',
    name: 'createRunner',
    tag: 'Projects',
    summary: 'Make a runner',
    description: "It gets this project's turns alone. The token is in this answer and nowhere else.",
    wantsFreshSession: true,
    schemas: {
      params: ProjectParams,
      body: Type.Object(
        { name: OneLine({ minLength: 1, maxLength: 100 }) },
        { additionalProperties: false, examples: [{ name: 'build machine 1' }] },
      ),
      responses: {
        201: Type.Object({
          runner: RunnerSchema,
          token: Type.String({ description: 'What the runner is started with. Shown once: keep it now.' }),
          gatewayUrl: nullable(Type.String(), {
            description: 'Where it finds the gateway, seen from our machine. Null: we do not know.',
          }),
        }),
      },
    },
    async handle({ projectId, body, actor }) {
      const token = generateKey('colophon_runner_')
      const runner = await runners.createFor(projectId, body.name, hashOfKey(token), actor)
      return respond(201, { runner: toResponse(runner), token, gatewayUrl: gatewayUrl ?? null })
    },
  })
}
