import { createHash } from 'node:crypto'
import Type from 'typebox'
import type { JobStore } from '../../jobs/job-store.ts'
import { type Route, respond, route } from '../route.ts'
import { NoContent } from '../schemas.ts'
import { AgentJob, JobParams, toResponse } from './agent-job.ts'

const pollAfterSeconds = 2

export function getJobRoute({ jobs }: { jobs: JobStore }): Route {
  return route({
    method: 'GET',
    url: '/v2/agent/:projectId/job/:id',
    access: 'agent:read',
    name: 'getJob',
    tag: 'Agent jobs',
    summary: 'Get an agent job',
    description:
      'With `If-None-Match` an unchanged job is 304. While a job is active, `Retry-After` says when to look again.',
    schemas: {
      params: JobParams,
      headers: Type.Object({ 'if-none-match': Type.Optional(Type.String({ maxLength: 1000 })) }),
      responses: { 200: AgentJob, 304: NoContent },
    },
    async handle({ projectId, params, headers }) {
      const body = toResponse(await jobs.get(projectId, params.id))
      const etag = `"${createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 22)}"`
      const told = { etag, ...(body.status === 'active' && { 'retry-after': String(pollAfterSeconds) }) }
      return headers['if-none-match'] === etag ? respond(304, undefined, told) : respond(200, body, told)
    },
  })
}
