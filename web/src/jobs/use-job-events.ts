/** What the agent does, live: everything since a turn began, and what comes while somebody looks. */
import type { JobEvent } from '@colophon/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { client } from '../app/client.ts'
import { isAfter } from './timeline.ts'

const pageSize = 1_000
/** Many events come at once: they are drawn together. */
const drawEveryMs = 200
/** A stream that a proxy holds back looks like an agent that says nothing: pages are asked for as well. */
const askEveryMs = 10_000

export interface LiveEvents {
  events: readonly JobEvent[]
  /** Null: they are being loaded. */
  error: unknown
  isLoading: boolean
}

/** An id after all events of the turn before. */
const beforeTurn = (turn: number): string | undefined => (turn <= 1 ? undefined : `${turn - 1}.999999999.999999999`)

export function useJobEvents(
  projectId: string,
  jobId: string,
  { fromTurn, lastTurn, isActive }: { fromTurn: number; lastTurn: number; isActive: boolean },
): LiveEvents {
  const queryClient = useQueryClient()
  const [live, setLive] = useState<LiveEvents>({ events: [], error: null, isLoading: true })
  const known = useRef<JobEvent[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another last turn is a reason to look again
  useEffect(() => {
    const stopped = new AbortController()
    const { signal } = stopped
    let drawing: ReturnType<typeof setTimeout> | undefined
    const draw = () => {
      drawing = undefined
      setLive({ events: [...known.current], error: null, isLoading: false })
    }
    const lastId = () => known.current.at(-1)?.id ?? beforeTurn(fromTurn)
    const add = (events: readonly JobEvent[]) => {
      for (const event of events) if (isAfter(event.id, lastId())) known.current.push(event)
      drawing ??= setTimeout(draw, drawEveryMs)
    }
    const ask = async () => add(await readEvents(projectId, jobId, lastId(), Number.POSITIVE_INFINITY, signal))
    const follow = async () => {
      const after = lastId()
      for await (const event of client.jobs.follow(projectId, jobId, { signal, ...(after !== undefined && { after }) }))
        add([event])
      await queryClient.invalidateQueries({ queryKey: ['job', projectId, jobId] })
    }
    const asking = isActive ? setInterval(() => void ask().catch(() => undefined), askEveryMs) : undefined
    const run = async () => {
      await ask()
      draw()
      if (isActive) await follow().catch(() => undefined) // refused: asking for pages goes on
    }
    run().catch((error: unknown) => {
      if (!signal.aborted) setLive({ events: known.current, error, isLoading: false })
    })
    return () => {
      stopped.abort()
      clearInterval(asking)
      clearTimeout(drawing)
    }
  }, [projectId, jobId, fromTurn, lastTurn, isActive, queryClient])
  return live
}

/** Of one turn that is over. */
export function useTurnEvents(projectId: string, jobId: string, turn: number, isWanted: boolean): LiveEvents {
  const { data, error, isPending } = useQuery({
    queryKey: ['job-events', projectId, jobId, turn],
    queryFn: ({ signal }) => readEvents(projectId, jobId, beforeTurn(turn), turn, signal),
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return { events: data ?? [], error, isLoading: isPending }
}

async function readEvents(
  projectId: string,
  jobId: string,
  after: string | undefined,
  lastTurn: number,
  signal: AbortSignal,
): Promise<JobEvent[]> {
  const events: JobEvent[] = []
  for (let from: string | null = after ?? ''; from !== null; ) {
    const query: { limit: number; after?: string } = { limit: pageSize, ...(from !== '' && { after: from }) }
    const page = await client.jobs.events(projectId, jobId, query, { signal })
    events.push(...page.events.filter(({ turn }) => turn <= lastTurn))
    from = (page.events.at(-1)?.turn ?? 0) > lastTurn ? null : page.nextAfter
  }
  return events
}
