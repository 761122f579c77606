/**
 * Live streams of job events. One query per second reads all jobs that are followed in this process: with `NOTIFY` instead,
 * the database could make only half as many commits (tried).
 */
import { PassThrough, type Readable } from 'node:stream'
import type { AgentEventStore, WatchedJob } from '../../jobs/agent-event-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { Log } from '../../platform/log.ts'
import type { Caller } from '../caller.ts'
import { toJobEventResponse } from './job-event.ts'

export type StreamJobEvents = (job: WatchedJob, follower: RecheckableCaller) => Readable

export interface RecheckableCaller {
  id: Caller['id']
  /** Throws a problem if the caller has lost access in the meantime. */
  recheckAccess(): Promise<void>
}

const pollIntervalMs = 1_000
/** Proxies close connections on which nothing is sent. */
const keepAliveIntervalMs = 15_000
/** A caller who signs out, is removed or loses the key receives events for no longer than this. */
const recheckIntervalMs = 5_000
const maxStreamsPerCaller = 20
/** A project can have hundreds of keys. Each stream costs every poll of this process a part of its query. */
const maxStreamsPerProject = 200
const batchRows = 100

interface Follower {
  job: WatchedJob
  subscriber: RecheckableCaller
  recheckedAtMs: number
  stream: PassThrough
  isSending: boolean
  sentAtMs: number
}

/** The client reads too slowly: no more events are read for it until the buffer is empty again, or the stream is closed. */
async function drained(stream: PassThrough): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  stream.on('drain', resolve).on('close', resolve)
  await promise
  stream.off('drain', resolve).off('close', resolve)
}

export function createJobEventStreams(
  events: AgentEventStore,
  log: Log,
): { streamJobEvents: StreamJobEvents; stop(): void } {
  const followers = new Set<Follower>()
  let polling = false

  const send = async (follower: Follower): Promise<void> => {
    for (;;) {
      const { events: next } = await events.read(follower.job, batchRows)
      const last = next.at(-1)
      if (!last || follower.stream.destroyed) return
      follower.job.after = last.position
      follower.sentAtMs = Date.now()
      const lines = next
        .map(toJobEventResponse)
        .map((event) => `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      if (!follower.stream.write(lines.join(''))) await drained(follower.stream)
    }
  }

  const end = async (follower: Follower): Promise<void> => {
    await send(follower) // events that arrived since the poll
    follower.stream.end('event: end\ndata: {}\n\n')
  }

  /** Not awaited: the followers of other jobs must not wait until one job with many events has been sent. */
  const start = (follower: Follower, work: (follower: Follower) => Promise<void>): void => {
    follower.isSending = true
    work(follower)
      .catch((error: unknown) => log.warn({ error: String(error) }, 'could not send job events'))
      .finally(() => {
        follower.isSending = false
      })
  }

  const hasAccess = async (follower: Follower): Promise<boolean> => {
    if (Date.now() - follower.recheckedAtMs < recheckIntervalMs) return true
    try {
      await follower.subscriber.recheckAccess()
      follower.recheckedAtMs = Date.now()
      return true
    } catch (error) {
      if (error instanceof Problem)
        follower.stream.destroy() // without `end`: the client reconnects and gets the reason
      else log.warn({ error: String(error) }, 'could not recheck the access of a stream')
      return false
    }
  }

  const poll = async (): Promise<void> => {
    const all = [...followers]
    const access = await Promise.all(all.map(hasAccess))
    const ready = all.filter(({ isSending }, index) => access[index] && !isSending)
    if (ready.length === 0) return
    const { hasNews, hasEnded } = await events.findUpdates(ready.map(({ job }) => job))
    for (const follower of ready) {
      if (hasEnded.has(follower.job)) start(follower, end)
      else if (hasNews.has(follower.job)) start(follower, send)
      else if (Date.now() - follower.sentAtMs >= keepAliveIntervalMs) {
        follower.sentAtMs = Date.now()
        follower.stream.write(': keep-alive\n\n')
      }
    }
  }

  const requireFewerThan = (max: number, counted: string, counts: (follower: Follower) => boolean): void => {
    if ([...followers].filter(counts).length < max) return
    throw new Problem('rate_limited', `The limit is ${max} open streams per ${counted}. Close one first.`, {
      headers: { 'retry-after': '5' },
    })
  }

  const timer = setInterval(() => {
    if (polling) return
    polling = true
    poll()
      .catch((error: unknown) => log.warn({ error: String(error) }, 'could not poll for job events'))
      .finally(() => {
        polling = false
      })
  }, pollIntervalMs)
  timer.unref()

  return {
    streamJobEvents(job, subscriber) {
      requireFewerThan(maxStreamsPerCaller, 'caller', (follower) => follower.subscriber.id === subscriber.id)
      requireFewerThan(maxStreamsPerProject, 'project', (follower) => follower.job.projectId === job.projectId)
      const stream = new PassThrough()
      const now = Date.now()
      const follower = {
        job: { ...job },
        subscriber,
        recheckedAtMs: now,
        stream,
        isSending: false,
        sentAtMs: now,
      }
      followers.add(follower)
      stream.once('close', () => followers.delete(follower))
      stream.write('retry: 2000\n\n') // this also sends the headers at once
      return stream
    },
    /** Clients of the closed streams reconnect to another replica. */
    stop() {
      clearInterval(timer)
      for (const { stream } of followers) stream.destroy()
    },
  }
}
