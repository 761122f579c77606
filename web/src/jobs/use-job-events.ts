/** Loads the events of a job, and follows new ones while the page is open. */
import type { JobEvent } from '@colophon/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { client } from '../app/client.ts'
import { isEventIdAfter } from './timeline.ts'

const pageSize = 1_000
/** Events arrive in bursts, so they are rendered together. */
const renderDelayMs = 200
/** A proxy that buffers the stream would make the agent look silent, so events are polled as well. */
const pollEveryMs = 10_000

export interface JobEventsState {
  events: readonly JobEvent[]
  /** Null unless loading failed. */
  error: unknown
  isLoading: boolean
}

/** An ID that is after all events of the previous turn. */
const idBeforeTurn = (turn: number): string | undefined => (turn <= 1 ? undefined : `${turn - 1}.999999999.999999999`)

export function useJobEvents(
  projectId: string,
  jobId: string,
  { fromTurn, lastTurn, isActive }: { fromTurn: number; lastTurn: number; isActive: boolean },
): JobEventsState {
  const queryClient = useQueryClient()
  const [loaded, setLoaded] = useState<JobEventsState>({ events: [], error: null, isLoading: true })
  const received = useRef<JobEvent[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new last turn has events to load
  useEffect(() => {
    const stopped = new AbortController()
    const { signal } = stopped
    let renderTimer: ReturnType<typeof setTimeout> | undefined
    const render = () => {
      renderTimer = undefined
      setLoaded({ events: [...received.current], error: null, isLoading: false })
    }
    const lastId = () => received.current.at(-1)?.id ?? idBeforeTurn(fromTurn)
    const add = (events: readonly JobEvent[]) => {
      for (const event of events) if (isEventIdAfter(event.id, lastId())) received.current.push(event)
      renderTimer ??= setTimeout(render, renderDelayMs)
    }
    const poll = async () => add(await fetchEvents(projectId, jobId, lastId(), Number.POSITIVE_INFINITY, signal))
    const follow = async () => {
      const after = lastId()
      for await (const event of client.jobs.follow(projectId, jobId, { signal, ...(after !== undefined && { after }) }))
        add([event])
      await queryClient.invalidateQueries({ queryKey: ['job', projectId, jobId] })
    }
    const pollTimer = isActive ? setInterval(() => void poll().catch(() => undefined), pollEveryMs) : undefined
    const run = async () => {
      await poll()
      render()
      if (isActive) await follow().catch(() => undefined) // if the stream is refused, polling continues
    }
    run().catch((error: unknown) => {
      if (!signal.aborted) setLoaded({ events: received.current, error, isLoading: false })
    })
    return () => {
      stopped.abort()
      clearInterval(pollTimer)
      clearTimeout(renderTimer)
    }
  }, [projectId, jobId, fromTurn, lastTurn, isActive, queryClient])
  return loaded
}

/** The events of one turn that has ended, loaded when `isEnabled`. */
export function useTurnEvents(projectId: string, jobId: string, turn: number, isEnabled: boolean): JobEventsState {
  const { data, error, isPending } = useQuery({
    queryKey: ['job-events', projectId, jobId, turn],
    queryFn: ({ signal }) => fetchEvents(projectId, jobId, idBeforeTurn(turn), turn, signal),
    enabled: isEnabled,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return { events: data ?? [], error, isLoading: isPending }
}

async function fetchEvents(
  projectId: string,
  jobId: string,
  after: string | undefined,
  lastTurn: number,
  signal: AbortSignal,
): Promise<JobEvent[]> {
  const events: JobEvent[] = []
  for (let cursor: string | null = after ?? ''; cursor !== null; ) {
    const query: { limit: number; after?: string } = { limit: pageSize, ...(cursor !== '' && { after: cursor }) }
    const page = await client.jobs.events(projectId, jobId, query, { signal })
    events.push(...page.events.filter(({ turn }) => turn <= lastTurn))
    cursor = (page.events.at(-1)?.turn ?? 0) > lastTurn ? null : page.nextAfter
  }
  return events
}
