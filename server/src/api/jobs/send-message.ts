import Type from 'typebox'
import { limitHeaders } from '../../jobs/hourly-limit.ts'
import type { JobStore } from '../../jobs/job-store.ts'
import type { WakeJob } from '../../jobs/wake-job.ts'
import { type Route, respond, route } from '../route.ts'
import { AgentJob, IdempotencyHeader, JobParams, Prompt, toResponse } from './agent-job.ts'

export function sendMessageRoute({ jobs, wakeJob }: { jobs: JobStore; wakeJob: WakeJob }): Route {
  return route({
    method: 'POST',
    url: '/v2/agent/:projectId/job/:id/message',
    access: 'agent:write',
    name: 'sendMessage',
    tag: 'Agent jobs',
    summary: 'Send a follow-up message to an agent job',
    description:
      'A message to an active job waits its turn; to an ended one it makes the job active again. At most 100 an hour per project.',
    schemas: {
      params: JobParams,
      headers: IdempotencyHeader,
      body: Type.Object(
        {
          prompt: Prompt,
          failedCheck: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 200,
              description: "The name of a failed check on the job's pull request: the agent is given its log.",
            }),
          ),
        },
        { additionalProperties: false, examples: [{ prompt: 'Make it shorter.' }] },
      ),
      responses: { 200: AgentJob },
    },
    refuses: ['job_archived', 'queue_full', 'idempotency_key_reused', 'rate_limited'],
    async handle({ projectId, actor, params, body, headers }) {
      const idempotencyKey = headers['idempotency-key']
      const path = `/v2/agent/${projectId}/job/${params.id}/message`
      const accepted = await jobs.message(projectId, params.id, body, {
        actor,
        body: toResponse,
        idempotency: idempotencyKey === undefined ? undefined : { key: idempotencyKey, method: 'POST', path, body },
      })
      if (accepted.kind === 'replayed') return respond(200, accepted.body)
      await wakeJob(accepted.jobId)
      return respond(200, accepted.body, limitHeaders(accepted.limit))
    },
  })
}
