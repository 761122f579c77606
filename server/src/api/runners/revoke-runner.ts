import Type from 'typebox'
import type { RunnerStore } from '../../jobs/runner-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { IdParam, ProjectParams } from '../schemas.ts'
import { RunnerSchema, toRunnerResponse } from './runner.ts'

export function revokeRunnerRoute({ runners }: { runners: RunnerStore }): Route {
  return defineRoute({
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
      responses: {
        200: Type.Object({
          runners: Type.Array(RunnerSchema, {
            description: 'Runners that can run turns of this project, newest first.',
          }),
        }),
      },
    },
    problems: ['insufficient_role'],
    async handle({ projectId, params, actor }) {
      await runners.revokeForProject(projectId, params.runnerId, actor)
      return createResponse(200, { runners: (await runners.listForProject(projectId)).map(toRunnerResponse) })
    },
  })
}
