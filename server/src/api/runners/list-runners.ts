import Type from 'typebox'
import type { RunnerStore } from '../../jobs/runner-store.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { RunnerSchema, toResponse } from './runner.ts'

export function listRunnersRoute({ runners }: { runners: RunnerStore }): Route {
  return route({
    method: 'GET',
    url: '/v2/projects/:projectId/runners',
    access: 'project:read',
    name: 'listRunners',
    tag: 'Projects',
    summary: "The runners that work on a project's jobs",
    description: 'Newest first, shared ones too, revoked ones not.',
    schemas: { params: ProjectParams, responses: { 200: Type.Object({ runners: Type.Array(RunnerSchema) }) } },
    handle: async ({ projectId }) => respond(200, { runners: (await runners.listFor(projectId)).map(toResponse) }),
  })
}
