import Type from 'typebox'
import type { RunnerStore } from '../../jobs/runner-store.ts'
import { type Route, respond, route } from '../route.ts'
import { idParam, ProjectParams } from '../schemas.ts'
import { RunnerSchema, toResponse } from './runner.ts'

export function revokeRunnerRoute({ runners }: { runners: RunnerStore }): Route {
  return route({
    method: 'DELETE',
    url: '/v2/projects/:projectId/runners/:runnerId',
    access: 'project:write',
    name: 'revokeRunner',
    tag: 'Projects',
    summary: "Revoke one of a project's own runners",
    description: 'It gets no more turns; one that it works on, it may finish. Revoking it again changes nothing.',
    schemas: {
      params: Type.Object({ ...ProjectParams.properties, runnerId: idParam("The runner's id, like `run_…`.") }),
      responses: { 200: Type.Object({ runners: Type.Array(RunnerSchema) }) },
    },
    refuses: ['insufficient_role'],
    async handle({ projectId, params, actor }) {
      await runners.revokeFor(projectId, params.runnerId, actor)
      return respond(200, { runners: (await runners.listFor(projectId)).map(toResponse) })
    },
  })
}
