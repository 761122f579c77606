import type { JobStore } from '../../jobs/job-store.ts'
import type { WakeJob } from '../../jobs/wake-job.ts'
import { type Route, respond, route } from '../route.ts'
import { AgentJob, JobParams, toResponse } from './agent-job.ts'

export function cancelJobRoute({ jobs, stopJob }: { jobs: JobStore; stopJob: WakeJob }): Route {
  return route({
    method: 'POST',
    url: '/v2/agent/:projectId/job/:id/cancel',
    access: 'agent:write',
    name: 'cancelJob',
    tag: 'Agent jobs',
    summary: 'Cancel an agent job',
    description:
      'Its turn stops and its queue is dropped: the job ends `failed` with outcome `cancelled`. A turn that has begun to publish finishes.',
    schemas: { params: JobParams, responses: { 200: AgentJob } },
    refuses: ['not_cancellable'],
    async handle({ projectId, actor, params }) {
      const job = await jobs.cancel(projectId, params.id, actor)
      if (job.status === 'active') await stopJob(job.id) // the turn in hand has to hear of it
      return respond(200, toResponse(job))
    },
  })
}
