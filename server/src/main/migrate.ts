import { setTimeout as sleep } from 'node:timers/promises'
import type { EnginesConfig } from '../platform/config.ts'
import type { Log } from '../platform/log.ts'
import { migrate } from '../platform/migrations/migrate.ts'
import { openEngines } from './open-engines.ts'

const triesWhileAway = 60
const betweenTriesMs = 1_000

/** In a fresh installation everything starts together: an engine that is not up yet is waited for. */
export async function migrateEngines(config: EnginesConfig, log: Log): Promise<void> {
  const engines = openEngines(config, log)
  try {
    for (let tries = 1; ; tries++) {
      try {
        await migrate(config, engines, log)
        log.info('the schema is up to date')
        return
      } catch (error) {
        if (!isAway(error) || tries === triesWhileAway) throw error
        log.warn({ error: String(error), tries }, 'an engine is away: trying again')
        await sleep(betweenTriesMs)
      }
    }
  } finally {
    await engines.close()
  }
}

const awayCodes = new Set<unknown>([
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPIPE'], // the network's
  ...['57P01', '57P02', '57P03', '08006'], // PostgreSQL's: shutting down, crashed, starting up, connection lost
  ...[4, 14], // gRPC's: deadline exceeded, unavailable
])

function isAway(error: unknown): boolean {
  const { code, message, cause } = error as { code?: unknown; message?: string; cause?: unknown }
  if (awayCodes.has(code) || message?.startsWith('Connection terminated')) return true
  const inner = error instanceof AggregateError ? error.errors : cause ? [cause] : []
  return inner.some(isAway)
}
