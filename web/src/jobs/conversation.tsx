import type { AgentJob, JobEvent, JobMessage } from '@colophon/sdk'
import { Stack } from '@mantine/core'
import { useMemo, useState } from 'react'
import { Turn } from './turn.tsx'
import { type JobEventsState, useJobEvents } from './use-job-events.ts'

interface ConversationProps {
  projectId: string
  job: AgentJob
  messages: readonly JobMessage[]
}

/** Loads the events of the last turn, and of all that follow while the page is open. Earlier turns load theirs when opened. */
export function Conversation({ projectId, job, messages }: ConversationProps) {
  const [firstLiveTurn] = useState(() => messages.filter(({ startedAt }) => startedAt !== null).at(-1)?.number ?? 1)
  const lastTurn = messages.at(-1)?.number ?? 1 // a turn that started and ended between two polls has events, too
  const liveEvents = useJobEvents(projectId, job.id, {
    fromTurn: firstLiveTurn,
    lastTurn,
    isActive: job.status === 'active',
  })
  const byTurn = useMemo(() => groupByTurn(liveEvents.events), [liveEvents.events])
  const eventsOfTurn = (turn: number): JobEventsState => ({ ...liveEvents, events: byTurn.get(turn) ?? [] })
  return (
    <Stack gap="xl">
      {messages.map((message) => (
        <Turn
          key={message.number}
          projectId={projectId}
          jobId={job.id}
          message={message}
          live={message.number >= firstLiveTurn ? eventsOfTurn(message.number) : undefined}
          showsError={job.error === null || message !== messages.at(-1)} // otherwise the top of the page shows it
        />
      ))}
    </Stack>
  )
}

function groupByTurn(events: readonly JobEvent[]): ReadonlyMap<number, JobEvent[]> {
  const byTurn = new Map<number, JobEvent[]>()
  for (const event of events) {
    const turnEvents = byTurn.get(event.turn)
    if (turnEvents) turnEvents.push(event)
    else byTurn.set(event.turn, [event])
  }
  return byTurn
}
