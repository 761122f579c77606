import Type from 'typebox'
import type { EventPosition, StoredAgentEvent } from '../../jobs/agent-event-store.ts'
import { DateTime } from '../schemas.ts'

/** Not a union of types: a client that gets an event of a type it does not know can still show its text. */
export const JobEvent = Type.Object(
  {
    id: Type.String({
      description: 'ID of the event, unique within the job. Send it as `after` to get the events that follow.',
    }),
    turn: Type.Integer({ description: 'Number of the message that the agent works on.' }),
    attempt: Type.Integer({
      description: 'Number of the attempt at the turn, from 1. If a runner is lost, another one starts a new attempt.',
    }),
    at: DateTime('Time of the event.'),
    type: Type.String({
      description: 'Type of the event: `text`, `tool_call`, `tool_result` or `notice`. New types can be added.',
    }),
    text: Type.Optional(
      Type.String({
        description: 'Text of the agent (`text`) or of Colophon (`notice`). Only in events of these two types.',
      }),
    ),
    callId: Type.Optional(
      Type.String({
        description: 'ID that connects a `tool_result` with its `tool_call`. Only in events of these two types.',
      }),
    ),
    tool: Type.Optional(
      Type.String({ description: 'Name of the tool that the agent calls. Only in events of type `tool_call`.' }),
    ),
    input: Type.Optional(
      Type.String({ description: 'Input of the tool call, as JSON text. Only in events of type `tool_call`.' }),
    ),
    output: Type.Optional(Type.String({ description: 'Output of the tool. Only in events of type `tool_result`.' })),
    isError: Type.Optional(
      Type.Boolean({ description: 'Whether the tool call failed. Only in events of type `tool_result`.' }),
    ),
  },
  {
    $id: 'JobEvent',
    description: 'Something that the agent said or did, or a notice about its work.',
    examples: [
      {
        id: '1.1.7',
        turn: 1,
        attempt: 1,
        at: '2026-01-31T12:01:05.000Z',
        type: 'tool_call',
        callId: 'call_9Zt2',
        tool: 'read',
        input: '{"path":"docs/install.md"}',
      },
    ],
  },
)

export const formatEventId = ({ turn, attempt, index }: EventPosition) => `${turn}.${attempt}.${index}`

export const toJobEventResponse = ({ position, event }: StoredAgentEvent) => ({
  id: formatEventId(position),
  turn: position.turn,
  attempt: position.attempt,
  ...(event as { at: string; type: string }),
})
