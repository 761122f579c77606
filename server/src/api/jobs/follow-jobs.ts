/**
 * Live streams of what agents do. All jobs that are watched here are looked at together, once a second: being told by the
 * database (`NOTIFY`) halved the number of commits it could make (tried).
 */
import { PassThrough, type Readable } from 'node:stream'
import type { EventStore, WatchedJob } from '../../jobs/event-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { Log } from '../../platform/log.ts'
import type { Caller } from '../caller.ts'
import { toResponse } from './job-event.ts'

export type FollowJobs = (job: WatchedJob, follower: WhoFollows) => Readable

export interface WhoFollows {
  id: Caller['id']
  /** Throws a problem when they may no longer. */
  recheck(): Promise<void>
}

const lookEveryMs = 1_000
/** Proxies take a connection on which nothing comes for a dead one. */
const signOfLifeEveryMs = 15_000
/** Who signed out, was removed or lost the key is not told more for long. */
const recheckEveryMs = 5_000
const maxStreamsPerCaller = 20
const rowsAtOnce = 100

interface Follower {
  job: WatchedJob
  who: WhoFollows
  recheckedAtMs: number
  stream: PassThrough
  /** The client has not taken what it was sent: it is asked for no more meanwhile. */
  isFull: boolean
  sentAtMs: number
}

export function createFollowJobs(events: EventStore, log: Log): { followJobs: FollowJobs; stop(): void } {
  const followers = new Set<Follower>()
  let looking = false

  const send = async (follower: Follower): Promise<void> => {
    for (;;) {
      const found = await events.read(follower.job, rowsAtOnce)
      const last = found.at(-1)
      if (!last || follower.stream.destroyed) return
      follower.job.after = last.position
      follower.sentAtMs = Date.now()
      const lines = found
        .map(toResponse)
        .map((event) => `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      if (!follower.stream.write(lines.join(''))) {
        follower.isFull = true
        follower.stream.once('drain', () => {
          follower.isFull = false
        })
        return
      }
    }
  }

  const end = async (follower: Follower): Promise<void> => {
    await send(follower) // what came between the look and now
    if (follower.isFull) return // it is told when it has taken the rest
    follower.stream.end('event: end\ndata: {}\n\n')
  }

  const mayGoOn = async (follower: Follower): Promise<boolean> => {
    if (Date.now() - follower.recheckedAtMs < recheckEveryMs) return true
    try {
      await follower.who.recheck()
      follower.recheckedAtMs = Date.now()
      return true
    } catch (error) {
      if (error instanceof Problem)
        follower.stream.destroy() // without `end`: the client asks again, and is told why
      else log.warn({ error: String(error) }, 'could not look whether somebody may go on following a job')
      return false
    }
  }

  const look = async (): Promise<void> => {
    const all = [...followers]
    const may = await Promise.all(all.map(mayGoOn))
    const asking = all.filter(({ isFull }, index) => may[index] && !isFull)
    if (asking.length === 0) return
    const { hasNews, hasEnded } = await events.lookAt(asking.map(({ job }) => job))
    await Promise.all(
      asking.map(async (follower) => {
        if (hasEnded.has(follower.job)) return end(follower)
        if (hasNews.has(follower.job)) return send(follower)
        if (Date.now() - follower.sentAtMs < signOfLifeEveryMs) return
        follower.sentAtMs = Date.now()
        follower.stream.write(': still here\n\n')
      }),
    )
  }

  const timer = setInterval(() => {
    if (looking) return
    looking = true
    look()
      .catch((error: unknown) => log.warn({ error: String(error) }, 'could not look at the jobs that are followed'))
      .finally(() => {
        looking = false
      })
  }, lookEveryMs)
  timer.unref()

  return {
    followJobs(job, who) {
      const open = [...followers].filter((follower) => follower.who.id === who.id).length
      if (open >= maxStreamsPerCaller) {
        throw new Problem('rate_limited', `At most ${maxStreamsPerCaller} open streams at once: close one first.`, {
          headers: { 'retry-after': '5' },
        })
      }
      const stream = new PassThrough()
      const now = Date.now()
      const follower = { job: { ...job }, who, recheckedAtMs: now, stream, isFull: false, sentAtMs: now }
      followers.add(follower)
      stream.once('close', () => followers.delete(follower))
      stream.write('retry: 2000\n\n') // and with it the headers leave at once
      return stream
    },
    /** A stream that is cut here is taken up again at another replica. */
    stop() {
      clearInterval(timer)
      for (const { stream } of followers) stream.destroy()
    },
  }
}
