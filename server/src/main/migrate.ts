import { setTimeout as sleep } from 'node:timers/promises'
import type { EnginesConfig } from '../platform/config.ts'
import { isEngineAway } from '../platform/engine-away.ts'
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
        if (!isEngineAway(error) || tries === triesWhileAway) throw error
        log.warn({ error: String(error), tries }, 'an engine is away: trying again')
        await sleep(betweenTriesMs)
      }
    }
  } finally {
    await engines.close()
  }
}
