import { setTimeout as sleep } from 'node:timers/promises'
import { grants } from '../../database/grants.ts'
import { finishedVersion } from '../../database/older-version.ts'
import type { MigrateConfig } from '../../platform/config.ts'
import type { Log } from '../../platform/log.ts'
import { migrate } from '../../platform/migrations/migrate.ts'
import { isServiceUnavailable } from '../../platform/service-unavailable.ts'
import { createServiceClients } from './create-service-clients.ts'

const maxAttempts = 60
const retryDelayMs = 1_000

/** Retries for a minute while a service is unreachable, because in a new deployment everything starts at the same time. */
export async function migrateServices(config: MigrateConfig, log: Log): Promise<void> {
  const services = createServiceClients(config, log)
  try {
    for (let attempts = 1; ; attempts++) {
      try {
        await migrate(config, { grants, finishedVersion }, services, log)
        log.info('schema up to date')
        return
      } catch (error) {
        if (!isServiceUnavailable(error) || attempts === maxAttempts) throw error
        log.warn({ error: String(error), attempts }, 'service unreachable: retrying')
        await sleep(retryDelayMs)
      }
    }
  } finally {
    await services.close()
  }
}
