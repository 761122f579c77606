import Type from 'typebox'
import type { EventPosition, StoredEvent } from '../../jobs/event-store.ts'

/** Not a union of kinds: a client that meets a kind it does not know can still show its text. */
export const JobEvent = Type.Object(
  {
    id: Type.String({ description: 'Orders all events of the job.' }),
    turn: Type.Integer({ description: 'The number of the message that is worked on.' }),
    attempt: Type.Integer({ description: 'Counts the runners that took the turn up: a lost one begins it anew.' }),
    at: Type.String({ format: 'date-time' }),
    type: Type.String({ description: '`text`, `tool_call`, `tool_result` or `notice`.' }),
    text: Type.Optional(Type.String({ description: 'Of `text` and `notice`.' })),
    callId: Type.Optional(Type.String({ description: 'Tells which result belongs to which call.' })),
    tool: Type.Optional(Type.String({ description: 'Of `tool_call`.' })),
    input: Type.Optional(Type.String({ description: 'Of `tool_call`, as JSON.' })),
    output: Type.Optional(Type.String({ description: 'Of `tool_result`.' })),
    isError: Type.Optional(Type.Boolean({ description: 'Of `tool_result`.' })),
  },
  { $id: 'JobEvent' },
)

export const idOf = ({ turn, attempt, index }: EventPosition) => `${turn}.${attempt}.${index}`

export const toResponse = ({ position, event }: StoredEvent) => ({
  id: idOf(position),
  turn: position.turn,
  attempt: position.attempt,
  ...(event as { at: string; type: string }),
})
