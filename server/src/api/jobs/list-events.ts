import Type from 'typebox'
import { beforeAllEvents, type EventPosition, type EventStore } from '../../jobs/event-store.ts'
import type { JobStore } from '../../jobs/job-store.ts'
import { type Route, respond, route } from '../route.ts'
import { nullable } from '../schemas.ts'
import { JobParams } from './agent-job.ts'
import type { FollowJobs } from './follow-jobs.ts'
import { idOf, JobEvent, toResponse } from './job-event.ts'

const EventId = Type.String({
  pattern: '^[0-9]{1,9}\\.[0-9]{1,9}\\.[0-9]{1,9}$',
  description: "An event's `id`: what comes behind it is wanted.",
})

export function listEventsRoute({
  jobs,
  events,
  followJobs,
}: {
  jobs: JobStore
  events: EventStore
  followJobs: FollowJobs
}): Route {
  return route({
    method: 'GET',
    url: '/v2/agent/:projectId/job/:id/events',
    access: 'agent:read',
    name: 'listEvents',
    tag: 'Agent jobs',
    summary: 'What the agent does',
    description:
      'A page of events, oldest first; kept until 90 days after the last turn. With `Accept: text/event-stream` they are ' +
      'sent as they happen, until the job is no longer active; a lost stream goes on from its `Last-Event-ID`.',
    schemas: {
      params: JobParams,
      query: Type.Object(
        {
          after: Type.Optional(EventId),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 200 })),
        },
        { additionalProperties: false },
      ),
      headers: Type.Object({ 'last-event-id': Type.Optional(EventId) }),
      responses: {
        200: Type.Object({
          events: Type.Array(JobEvent),
          nextAfter: nullable(Type.String(), {
            description: 'The `after` of the next page; null: that was all so far.',
          }),
        }),
      },
    },
    streams: {
      contentType: 'text/event-stream',
      description: 'Each event has its `id`, its type and itself as JSON; `end` is the last.',
      async open({ projectId, caller, params, query, headers, recheck }) {
        const job = await jobs.get(projectId, params.id)
        const after = asPosition(headers['last-event-id'] ?? query.after)
        return followJobs({ projectId, jobId: job.id, after }, { id: caller.id, recheck })
      },
    },
    async handle({ projectId, params, query }) {
      const job = await jobs.get(projectId, params.id)
      const watched = { projectId, jobId: job.id, after: asPosition(query.after) }
      const limit = query.limit ?? 200
      const found = await events.read(watched, limit + 1)
      const page = found.slice(0, limit)
      const last = page.at(-1)
      return respond(200, {
        events: page.map(toResponse),
        nextAfter: found.length > limit && last ? idOf(last.position) : null,
      })
    },
  })
}

function asPosition(id: string | undefined): EventPosition {
  if (id === undefined) return beforeAllEvents
  const [turn = 0, attempt = 0, index = 0] = id.split('.').map(Number)
  return { turn, attempt, index }
}
