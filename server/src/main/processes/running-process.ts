/** How every Colophon process runs and stops. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpConfig } from '../../platform/config.ts'
import type { HttpServer } from '../../platform/http/http-server.ts'
import type { Readiness } from '../../platform/http/readiness.ts'
import type { Log } from '../../platform/log.ts'
import { isRecording } from '../../platform/metrics/metrics.ts'

/** A started process. `stop` accepts no new work, finishes work in progress, and releases resources. */
export interface RunningProcess {
  /** How long `stop` waits before it closes anything. */
  shutdownDelaySeconds: number
  stop(): Promise<void>
  /** Rejects if the process cannot do its work, and has to exit. */
  failed?: Promise<never>
}

/**
 * Node's own limit is 511. With a thousand new connections per second, a pause of half a second exceeded it, and every client waited
 * for seconds until TCP tried again. The kernel has a limit as well (`net.core.somaxconn`, 4,096 by default).
 */
const maxWaitingConnections = 4_096

const checkEveryMs = 10_000

/** Starts to listen. `stop` first reports `stopping` on `/readyz`, then finishes open requests, then calls `release`. */
export async function serveHttp(
  server: HttpServer,
  { config, readiness, release }: { config: HttpConfig; readiness: Readiness; release: () => Promise<void> },
): Promise<RunningProcess> {
  await server.listen({ ...config.listen, backlog: maxWaitingConnections })
  // Otherwise the metric of a component would be as old as the last request to /readyz.
  const checks = isRecording() && setInterval(() => void readiness.report(), checkEveryMs)
  return {
    shutdownDelaySeconds: config.shutdownDelaySeconds,
    async stop() {
      readiness.markStopping()
      if (checks) clearInterval(checks)
      await sleep(config.shutdownDelaySeconds * 1000)
      await server.close()
      await release()
    },
  }
}

const stopTimeoutMs = 60_000 // in addition to the configured delay

/** Runs until SIGTERM or SIGINT, or until it fails. A second signal, or a stop that takes too long, ends the process immediately. */
export async function runUntilStopped(running: RunningProcess, log: Log): Promise<void> {
  const stopSignal = new Promise<NodeJS.Signals>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, resolve)
  })
  const signal = await (running.failed ? Promise.race([stopSignal, running.failed]) : stopSignal)
  log.info({ signal }, 'stopping: finishing work in progress')
  const exitNow = (reason: string) => {
    log.error({ reason }, 'stopped before work in progress was finished')
    process.exit(1)
  }
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => exitNow('second signal'))
  const timeoutMs = running.shutdownDelaySeconds * 1000 + stopTimeoutMs
  setTimeout(() => exitNow(`not finished after ${timeoutMs} ms`), timeoutMs).unref()
  await running.stop()
  log.info('stopped')
}
