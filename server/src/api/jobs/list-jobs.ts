import Type from 'typebox'
import { jobStatuses } from '../../jobs/job-state.ts'
import type { JobStore } from '../../jobs/job-store.ts'
import { nextCursor, pageQuery, readPage } from '../page.ts'
import { answer, type Route, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { AgentJob, asAnswer } from './agent-job.ts'

export function listJobsRoute({ jobs }: { jobs: JobStore }): Route {
  return route({
    method: 'GET',
    url: '/v2/agent/:projectId/jobs',
    access: 'agent:read',
    name: 'listJobs',
    tag: 'Agent jobs',
    summary: 'The agent jobs of a project',
    description: 'Newest first. While `nextCursor` is not null, ask again with it as `cursor`.',
    schemas: {
      params: ProjectParams,
      query: Type.Object(
        { ...pageQuery('job').properties, status: Type.Optional(Type.Enum(jobStatuses)) },
        { additionalProperties: false },
      ),
      answers: { 200: Type.Object({ jobs: Type.Array(AgentJob), nextCursor }) },
    },
    async handle({ key, query: { status, ...query } }) {
      const page = await readPage(query, (which) => jobs.list(key.projectId, { status, ...which }))
      return answer(200, { jobs: page.items.map(asAnswer), nextCursor: page.nextCursor })
    },
  })
}
