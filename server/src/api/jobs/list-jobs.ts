import Type from 'typebox'
import { jobOutcomes } from '../../jobs/job-outcome.ts'
import { jobStatuses } from '../../jobs/job-state.ts'
import type { JobStore } from '../../jobs/job-store.ts'
import { CursorQuery, NextCursor, readCursorPage } from '../cursor-page.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { ProjectParams, SingleLineText } from '../schemas.ts'
import { AgentJob, toAgentJobResponse } from './agent-job.ts'

export function listJobsRoute({ jobs }: { jobs: JobStore }): Route {
  return defineRoute({
    method: 'GET',
    url: '/v2/agent/:projectId/jobs',
    access: 'agent:read',
    name: 'listJobs',
    tag: 'Agent jobs',
    summary: 'List agent jobs',
    description:
      'Returns the jobs of the project, newest first. If `nextCursor` is not null, send it as `cursor` to get the next page.',
    schemas: {
      params: ProjectParams,
      query: Type.Object(
        {
          ...CursorQuery('job').properties,
          status: Type.Optional(Type.Enum(jobStatuses, { description: 'Return only jobs with this status.' })),
          outcome: Type.Optional(Type.Enum(jobOutcomes, { description: 'Return only jobs with this outcome.' })),
          q: Type.Optional(
            SingleLineText({
              minLength: 1,
              maxLength: 200,
              description:
                'Return only jobs with this text in the title, the ID or the first 300 characters of the first prompt. Case does not matter.',
              examples: ['proxy'],
            }),
          ),
        },
        { additionalProperties: false },
      ),
      responses: {
        200: Type.Object({
          jobs: Type.Array(AgentJob, { description: 'Jobs, newest first.' }),
          nextCursor: NextCursor,
        }),
      },
    },
    async handle({ projectId, query: { status, outcome, q: words, ...pageOptions } }) {
      const page = await readCursorPage(pageOptions, (range) =>
        jobs.list(projectId, { status, outcome, search: words, ...range }),
      )
      return createResponse(200, { jobs: page.items.map(toAgentJobResponse), nextCursor: page.nextCursor })
    },
  })
}
