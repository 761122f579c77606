import Type from 'typebox'
import { type AgentEventStore, type EventPosition, positionBeforeAllEvents } from '../../jobs/agent-event-store.ts'
import type { JobStore } from '../../jobs/job-store.ts'
import { createResponse } from '../../platform/http/route.ts'
import { defineRoute, type Route } from '../route.ts'
import { nullable } from '../schemas.ts'
import { JobParams } from './agent-job.ts'
import { formatEventId, JobEvent, toJobEventResponse } from './job-event.ts'
import type { StreamJobEvents } from './job-event-streams.ts'

const EventId = (description: string) =>
  Type.String({ pattern: '^[0-9]{1,9}\\.[0-9]{1,9}\\.[0-9]{1,9}$', description, examples: ['1.1.7'] })

export function listEventsRoute({
  jobs,
  events,
  streamJobEvents,
}: {
  jobs: JobStore
  events: AgentEventStore
  streamJobEvents: StreamJobEvents
}): Route {
  return defineRoute({
    method: 'GET',
    url: '/v2/agent/:projectId/job/:id/events',
    access: 'agent:read',
    name: 'listEvents',
    tag: 'Agent jobs',
    summary: 'List events of an agent job',
    description:
      'Returns what the agent says and does, oldest first. With `Accept: text/event-stream` the events are streamed as they ' +
      'happen, until the job is no longer active; after a lost connection, send the ID of the last event as ' +
      '`Last-Event-ID` to continue. Events are kept for 90 days after the last turn.',
    schemas: {
      params: JobParams,
      query: Type.Object(
        {
          after: Type.Optional(EventId('Return only events after the event with this ID.')),
          limit: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 1_000,
              default: 200,
              description: 'Maximum number of events in the response. It does not apply to the stream.',
            }),
          ),
        },
        { additionalProperties: false },
      ),
      headers: Type.Object({
        'last-event-id': Type.Optional(
          EventId('For the stream: send only events after the event with this ID. It takes precedence over `after`.'),
        ),
      }),
      responses: {
        200: Type.Object({
          events: Type.Array(JobEvent, { description: 'Events, oldest first.' }),
          nextAfter: nullable(Type.String(), {
            description: '`after` for the next page. Null if there are no more events yet.',
            examples: [null],
          }),
        }),
      },
    },
    stream: {
      contentType: 'text/event-stream',
      description:
        'Server-sent events. `id` and `event` are the ID and the type of the job event, `data` is the job event as JSON. ' +
        'When the job is no longer active, an event `end` follows as the last one.',
      async open({ projectId, caller, params, query, headers, recheckAccess }) {
        const job = await jobs.get(projectId, params.id)
        const after = toPosition(headers['last-event-id'] ?? query.after)
        return streamJobEvents({ projectId, jobId: job.id, after }, { id: caller.id, recheckAccess: recheckAccess })
      },
    },
    async handle({ projectId, params, query }) {
      const job = await jobs.get(projectId, params.id)
      const watched = { projectId, jobId: job.id, after: toPosition(query.after) }
      const limit = query.limit ?? 200
      const { events: next, hasMore } = await events.read(watched, limit)
      const page = next.slice(0, limit)
      const last = page.at(-1)
      return createResponse(200, {
        events: page.map(toJobEventResponse),
        nextAfter: last && (hasMore || next.length > limit) ? formatEventId(last.position) : null,
      })
    },
  })
}

function toPosition(id: string | undefined): EventPosition {
  if (id === undefined) return positionBeforeAllEvents
  const [turn = 0, attempt = 0, index = 0] = id.split('.').map(Number)
  return { turn, attempt, index }
}
