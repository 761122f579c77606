import type { SignalJob } from '../../jobs/job-signaler.ts'
import type { JobStore } from '../../jobs/job-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { AgentJob, JobParams, toAgentJobResponse } from './agent-job.ts'
import { pendingCancelJobExample } from './agent-job-examples.ts'

export function cancelJobRoute({ jobs, stopJob }: { jobs: JobStore; stopJob: SignalJob }): Route {
  return defineRoute({
    method: 'POST',
    url: '/v2/agent/:projectId/job/:id/cancel',
    access: 'agent:write',
    name: 'cancelJob',
    tag: 'Agent jobs',
    summary: 'Cancel an agent job',
    description:
      'Stops the current turn and drops the queued messages. The job ends with status `failed` and outcome `cancelled`. A turn whose result is already being published is completed.',
    schemas: { params: JobParams, responses: { 200: AgentJob } },
    responseExamples: { 200: pendingCancelJobExample },
    problems: ['not_cancellable'],
    async handle({ projectId, actor, params }) {
      const job = await jobs.cancel(projectId, params.id, actor)
      if (job.status === 'active') await stopJob(job.id) // the current turn has to stop first
      return createResponse(200, toAgentJobResponse(job))
    },
  })
}
