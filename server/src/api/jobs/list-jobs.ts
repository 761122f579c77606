import Type from 'typebox'
import { jobStatuses } from '../../jobs/job-state.ts'
import type { JobStore } from '../../jobs/job-store.ts'
import { answer, type Route, route } from '../route.ts'
import { nullable, ProjectParams } from '../schemas.ts'
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
        {
          status: Type.Optional(Type.Enum(jobStatuses)),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 250, default: 50 })),
          cursor: Type.Optional(
            Type.String({ pattern: '^job_[0-9a-z]{26}$', description: '`nextCursor` of the page before.' }),
          ),
        },
        { additionalProperties: false },
      ),
      answers: { 200: Type.Object({ jobs: Type.Array(AgentJob), nextCursor: nullable(Type.String()) }) },
    },
    async handle({ key, query: { status, limit = 50, cursor } }) {
      const found = await jobs.list(key.projectId, { status, limit: limit + 1, before: cursor })
      const page = found.slice(0, limit)
      return answer(200, {
        jobs: page.map(asAnswer),
        nextCursor: found.length > limit ? (page.at(-1)?.id ?? null) : null,
      })
    },
  })
}
