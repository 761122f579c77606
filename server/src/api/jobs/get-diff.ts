import Type from 'typebox'
import type { JobStore } from '../../jobs/job-store.ts'
import { type Route, respond, route } from '../route.ts'
import { nullable } from '../schemas.ts'
import { JobParams } from './agent-job.ts'

export function getDiffRoute({ jobs }: { jobs: JobStore }): Route {
  return route({
    method: 'GET',
    url: '/v2/agent/:projectId/job/:id/diff',
    access: 'agent:read',
    name: 'getDiff',
    tag: 'Agent jobs',
    summary: 'What an agent job changed',
    schemas: {
      params: JobParams,
      responses: {
        200: Type.Object({
          diff: nullable(Type.String(), {
            description: "Against the source's ref, as `git diff` has it; null when no file was changed.",
          }),
        }),
      },
    },
    handle: async ({ projectId, params }) => respond(200, { diff: await jobs.diff(projectId, params.id) }),
  })
}
