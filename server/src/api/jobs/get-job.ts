import { createHash } from 'node:crypto'
import Type from 'typebox'
import type { JobStore } from '../../jobs/job-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { NoContent } from '../schemas.ts'
import { AgentJob, JobParams, toAgentJobResponse } from './agent-job.ts'

const pollAfterSeconds = 2

export function getJobRoute({ jobs }: { jobs: JobStore }): Route {
  return defineRoute({
    method: 'GET',
    url: '/v2/agent/:projectId/job/:id',
    access: 'agent:read',
    name: 'getJob',
    tag: 'Agent jobs',
    summary: 'Get an agent job',
    description:
      'Returns a job and its result. While the job is active, `Retry-After` says after how many seconds to poll it again. Send the `ETag` of the last response as `If-None-Match` to get 304 if the job has not changed.',
    schemas: {
      params: JobParams,
      headers: Type.Object({
        'if-none-match': Type.Optional(
          Type.String({
            maxLength: 1000,
            description:
              '`ETag` of an earlier response. If the job has not changed since, the response is 304 without a body.',
            examples: ['"p4zJ0o2mQf5cV1nX8yTr3A"'],
          }),
        ),
      }),
      responses: { 200: AgentJob, 304: NoContent },
    },
    responseHeaders: { 200: ['ETag', 'Retry-After'], 304: ['ETag', 'Retry-After'] },
    async handle({ projectId, params, headers }) {
      const body = toAgentJobResponse(await jobs.get(projectId, params.id))
      const etag = `"${createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 22)}"`
      const responseHeaders = { etag, ...(body.status === 'active' && { 'retry-after': String(pollAfterSeconds) }) }
      return headers['if-none-match'] === etag
        ? createResponse(304, undefined, responseHeaders)
        : createResponse(200, body, responseHeaders)
    },
  })
}
