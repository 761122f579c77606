import Type from 'typebox'
import { jobStatuses } from '../../jobs/job-state.ts'
import type { JobStore } from '../../jobs/job-store.ts'
import { jobOutcomes } from '../../jobs/outcome.ts'
import { nextCursor, pageQuery, readPage } from '../page.ts'
import { type Route, respond, route } from '../route.ts'
import { OneLine, ProjectParams } from '../schemas.ts'
import { AgentJob, toResponse } from './agent-job.ts'

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
        {
          ...pageQuery('job').properties,
          status: Type.Optional(Type.Enum(jobStatuses)),
          outcome: Type.Optional(Type.Enum(jobOutcomes)),
          q: Type.Optional(
            OneLine({
              minLength: 1,
              maxLength: 200,
              description:
                'Text to find in the title, the id or the first 300 characters of the first prompt, in upper or lower case.',
            }),
          ),
        },
        { additionalProperties: false },
      ),
      responses: { 200: Type.Object({ jobs: Type.Array(AgentJob), nextCursor }) },
    },
    async handle({ projectId, query: { status, outcome, q: words, ...query } }) {
      const page = await readPage(query, (which) => jobs.list(projectId, { status, outcome, words, ...which }))
      return respond(200, { jobs: page.items.map(toResponse), nextCursor: page.nextCursor })
    },
  })
}
