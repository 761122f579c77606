/** Runs migrations, then api and worker in one process: for small instances. */
import type { ServeConfig } from '../../platform/config.ts'
import { createLog } from '../../platform/log.ts'
import { startApi } from './api.ts'
import { migrateServices } from './migrate.ts'
import type { RunningProcess } from './running-process.ts'
import { startWorker } from './worker.ts'

export async function startServe(config: ServeConfig): Promise<RunningProcess> {
  const { services, log } = config.api
  await migrateServices({ ...services, databaseRoles: undefined }, createLog('serve', log)) // one process has one role
  const worker = await startWorker(config.worker)
  const api = await startApi(config.api)
  return {
    shutdownDelaySeconds: api.shutdownDelaySeconds,
    stop: async () => void (await Promise.all([api.stop(), worker.stop()])),
  }
}
