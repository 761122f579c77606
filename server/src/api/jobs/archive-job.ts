import type { SignalJob } from '../../jobs/job-signaler.ts'
import type { JobStore } from '../../jobs/job-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { AgentJob, JobParams, toAgentJobResponse } from './agent-job.ts'
import { archivedJobExample } from './agent-job-examples.ts'

export function archiveJobRoute({ jobs, stopJob }: { jobs: JobStore; stopJob: SignalJob }): Route {
  return defineRoute({
    method: 'POST',
    url: '/v2/agent/:projectId/job/:id/archive',
    access: 'agent:write',
    name: 'archiveJob',
    tag: 'Agent jobs',
    summary: 'Archive an agent job',
    description:
      'Archiving is final: the job accepts no more messages. An active job stops first. The pull request is not changed. Archiving a job again has no effect.',
    schemas: { params: JobParams, responses: { 200: AgentJob } },
    responseExamples: { 200: archivedJobExample },
    async handle({ projectId, actor, params }) {
      const job = await jobs.archive(projectId, params.id, actor)
      if (job.status === 'active') await stopJob(job.id) // the current turn has to stop first
      return createResponse(200, toAgentJobResponse(job))
    },
  })
}
