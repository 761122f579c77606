/** How every process of Colophon runs and stops. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpConfig } from '../platform/config.ts'
import type { HttpServer } from '../platform/http/http-server.ts'
import type { Readiness } from '../platform/http/readiness.ts'
import type { Log } from '../platform/log.ts'

/** A part that is up. `stop` takes no new work, finishes what is in flight, and lets go of what it holds. */
export interface Running {
  /** How long `stop` waits before it begins to stop. */
  stopDelaySeconds: number
  stop(): Promise<void>
}

/** Listens; stopping, first says so on `/readyz`, then finishes the requests in flight, then runs `release`. */
export async function serveHttp(
  server: HttpServer,
  { config, readiness, release }: { config: HttpConfig; readiness: Readiness; release: () => Promise<void> },
): Promise<Running> {
  await server.listen(config.listen)
  return {
    stopDelaySeconds: config.stopDelaySeconds,
    async stop() {
      readiness.stopping()
      await sleep(config.stopDelaySeconds * 1000)
      await server.close()
      await release()
    },
  }
}

const stopWithinMs = 60_000 // besides the delay that the operator asked for

/** Runs until asked to stop. A second request to stop, or a stop that takes too long, ends the process at once. */
export async function runUntilStopped(running: Running, log: Log): Promise<void> {
  const signal = await new Promise<NodeJS.Signals>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, resolve)
  })
  log.info({ signal }, 'stopping: work in flight is finished first')
  const atOnce = (reason: string) => {
    log.error({ reason }, 'stopped with work in flight')
    process.exit(1)
  }
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => atOnce('asked twice'))
  const withinMs = running.stopDelaySeconds * 1000 + stopWithinMs
  setTimeout(() => atOnce(`not done after ${withinMs} ms`), withinMs).unref()
  await running.stop()
  log.info('stopped')
}
