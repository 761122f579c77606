import Type from 'typebox'
import type { RunnerStore } from '../../jobs/runner-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { RunnerSchema, toRunnerResponse } from './runner.ts'

export function listRunnersRoute({ runners }: { runners: RunnerStore }): Route {
  return defineRoute({
    method: 'GET',
    url: '/v2/projects/:projectId/runners',
    access: 'project:read',
    name: 'listRunners',
    tag: 'Projects',
    summary: 'List runners',
    description: 'Returns the runners of a project and the shared runners, newest first. Revoked runners are left out.',
    schemas: {
      params: ProjectParams,
      responses: {
        200: Type.Object({
          runners: Type.Array(RunnerSchema, {
            description: 'Runners that can run turns of this project, newest first.',
          }),
        }),
      },
    },
    handle: async ({ projectId }) =>
      createResponse(200, { runners: (await runners.listForProject(projectId)).map(toRunnerResponse) }),
  })
}
