/** `colophon-server upgrade`. */
import { finishedVersion } from '../../database/older-version.ts'
import type { MigrateConfig } from '../../platform/config.ts'
import { createLog } from '../../platform/log.ts'
import { createServiceClients } from '../processes/create-service-clients.ts'
import { UsageError } from '../usage-error.ts'
import { finishUpgrade } from './finish-upgrade.ts'
import { formatUpgradePlan } from './format-upgrade-plan.ts'
import { planUpgrade } from './plan-upgrade.ts'
import { UpgradeRefused } from './upgrade-refused.ts'

export interface UpgradeOptions {
  check?: boolean | undefined
  finish?: boolean | undefined
  json?: boolean | undefined
}

export async function runUpgradeCommand(
  config: MigrateConfig,
  { check, finish, json }: UpgradeOptions,
  print: (text: string) => void,
): Promise<void> {
  if ((check ?? false) === (finish ?? false)) throw new UsageError('Use either --check or --finish.')
  if (json && finish) throw new UsageError('--json is for --check.')
  if (check) return printPlan(config, json ?? false, print)
  const before = await finishUpgrade(config)
  print(
    before === finishedVersion
      ? `The upgrade to ${finishedVersion} was finished already.`
      : `Finished the upgrade from ${before}. Processes of versions before ${finishedVersion} must not run any longer.`,
  )
}

async function printPlan(config: MigrateConfig, json: boolean, print: (text: string) => void): Promise<void> {
  const services = createServiceClients(config, createLog('upgrade', { level: 'warn' }))
  try {
    const plan = await planUpgrade(config, services.clickhouse)
    print(json ? JSON.stringify(plan, null, 2) : formatUpgradePlan(plan))
    if (plan.state === 'refused') throw new UpgradeRefused()
  } finally {
    await services.close()
  }
}
