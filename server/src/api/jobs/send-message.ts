import Type from 'typebox'
import { formatRateLimitHeaders } from '../../jobs/hourly-limit.ts'
import type { SignalJob } from '../../jobs/job-signaler.ts'
import type { JobStore } from '../../jobs/job-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { AgentJob, IdempotencyHeader, JobParams, Prompt, toAgentJobResponse } from './agent-job.ts'
import { continuedJobExample } from './agent-job-examples.ts'

export function sendMessageRoute({ jobs, wakeJob }: { jobs: JobStore; wakeJob: SignalJob }): Route {
  return defineRoute({
    method: 'POST',
    url: '/v2/agent/:projectId/job/:id/message',
    access: 'agent:write',
    name: 'sendMessage',
    tag: 'Agent jobs',
    summary: 'Send a message to an agent job',
    description:
      'Sends a follow-up prompt. If the job is active, the message is queued behind the others. If the job has ended, it becomes active again. Rate limit: 100 messages per project per hour.',
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
              description:
                'Name of a failed CI check of the pull request. The agent gets the log of the check together with the prompt.',
              examples: ['build'],
            }),
          ),
        },
        { additionalProperties: false, examples: [{ prompt: 'Make it shorter.' }] },
      ),
      responses: { 200: AgentJob },
    },
    responseHeaders: { 200: ['RateLimit', 'RateLimit-Policy'], 429: ['RateLimit', 'RateLimit-Policy'] },
    responseExamples: { 200: continuedJobExample },
    problems: ['job_archived', 'queue_full', 'idempotency_key_reused', 'rate_limited'],
    async handle({ projectId, actor, params, body, headers }) {
      const idempotencyKey = headers['idempotency-key']
      const path = `/v2/agent/${projectId}/job/${params.id}/message`
      const accepted = await jobs.message(projectId, params.id, body, {
        actor,
        present: toAgentJobResponse,
        idempotency: idempotencyKey === undefined ? undefined : { key: idempotencyKey, method: 'POST', path, body },
      })
      if (accepted.kind === 'replayed') return createResponse(200, accepted.body)
      await wakeJob(accepted.jobId)
      return createResponse(200, accepted.body, formatRateLimitHeaders(accepted.limit))
    },
  })
}
