import type { SignalJob } from '../../jobs/job-signals.ts'
import type { JobStore } from '../../jobs/job-store.ts'
import { type Route, respond, route } from '../route.ts'
import { AgentJob, JobParams, toAgentJobResponse } from './agent-job.ts'
import { archivedJob } from './agent-job-examples.ts'

export function archiveJobRoute({ jobs, stopJob }: { jobs: JobStore; stopJob: SignalJob }): Route {
  return route({
    method: 'POST',
    url: '/v2/agent/:projectId/job/:id/archive',
    access: 'agent:write',
    name: 'archiveJob',
    tag: 'Agent jobs',
    summary: 'Archive an agent job',
    description:
      'Archiving is final: the job accepts no more messages. An active job stops first. The pull request is not changed. Archiving a job again has no effect.',
    schemas: { params: JobParams, responses: { 200: AgentJob } },
    responseExamples: { 200: archivedJob },
    async handle({ projectId, actor, params }) {
      const job = await jobs.archive(projectId, params.id, actor)
      if (job.status === 'active') await stopJob(job.id) // the current turn has to stop first
      return respond(200, toAgentJobResponse(job))
    },
  })
}
