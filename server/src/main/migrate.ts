import { setTimeout as sleep } from 'node:timers/promises'
import type { ServicesConfig } from '../platform/config.ts'
import type { Log } from '../platform/log.ts'
import { migrate } from '../platform/migrations/migrate.ts'
import { isServiceUnavailable } from '../platform/service-unavailable.ts'
import { connectServices } from './connect-services.ts'

const triesWhileAway = 60
const betweenTriesMs = 1_000

/** In a fresh installation everything starts together: an engine that is not up yet is waited for. */
export async function migrateServices(config: ServicesConfig, log: Log): Promise<void> {
  const services = connectServices(config, log)
  try {
    for (let tries = 1; ; tries++) {
      try {
        await migrate(config, services, log)
        log.info('the schema is up to date')
        return
      } catch (error) {
        if (!isServiceUnavailable(error) || tries === triesWhileAway) throw error
        log.warn({ error: String(error), tries }, 'an engine is away: trying again')
        await sleep(betweenTriesMs)
      }
    }
  } finally {
    await services.close()
  }
}
