import type { JobStore } from '../../jobs/job-store.ts'
import type { WakeJob } from '../../jobs/wake-job.ts'
import { type Route, respond, route } from '../route.ts'
import { AgentJob, JobParams, toResponse } from './agent-job.ts'

export function archiveJobRoute({ jobs, stopJob }: { jobs: JobStore; stopJob: WakeJob }): Route {
  return route({
    method: 'POST',
    url: '/v2/agent/:projectId/job/:id/archive',
    access: 'agent:write',
    name: 'archiveJob',
    tag: 'Agent jobs',
    summary: 'Archive an agent job',
    description:
      'Final. An active job stops first; the pull request is never touched. Archiving it again changes nothing.',
    schemas: { params: JobParams, responses: { 200: AgentJob } },
    async handle({ projectId, actor, params }) {
      const job = await jobs.archive(projectId, params.id, actor)
      if (job.status === 'active') await stopJob(job.id) // the turn in hand has to hear of it
      return respond(200, toResponse(job))
    },
  })
}
