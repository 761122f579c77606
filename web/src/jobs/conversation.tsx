import type { AgentJob, JobEvent, JobMessage } from '@colophon/sdk'
import { Stack } from '@mantine/core'
import { useMemo, useState } from 'react'
import { Turn } from './turn.tsx'
import { type LiveEvents, useJobEvents } from './use-job-events.ts'

interface ConversationProps {
  projectId: string
  job: AgentJob
  messages: readonly JobMessage[]
}

/** The last turn, and all that follow while one looks, are there at once; what was before comes when it is asked for. */
export function Conversation({ projectId, job, messages }: ConversationProps) {
  const [liveFrom] = useState(() => messages.filter(({ startedAt }) => startedAt !== null).at(-1)?.number ?? 1)
  const lastTurn = messages.at(-1)?.number ?? 1 // one that came and went between two looks has events too
  const live = useJobEvents(projectId, job.id, { fromTurn: liveFrom, lastTurn, isActive: job.status === 'active' })
  const byTurn = useMemo(() => groupByTurn(live.events), [live.events])
  const liveOf = (turn: number): LiveEvents => ({ ...live, events: byTurn.get(turn) ?? [] })
  return (
    <Stack gap="xl">
      {messages.map((message) => (
        <Turn
          key={message.number}
          projectId={projectId}
          jobId={job.id}
          message={message}
          live={message.number >= liveFrom ? liveOf(message.number) : undefined}
          saysWhyItFailed={job.error === null || message !== messages.at(-1)} // else the top of the page does
        />
      ))}
    </Stack>
  )
}

function groupByTurn(events: readonly JobEvent[]): ReadonlyMap<number, JobEvent[]> {
  const byTurn = new Map<number, JobEvent[]>()
  for (const event of events) {
    const ofTurn = byTurn.get(event.turn)
    if (ofTurn) ofTurn.push(event)
    else byTurn.set(event.turn, [event])
  }
  return byTurn
}
