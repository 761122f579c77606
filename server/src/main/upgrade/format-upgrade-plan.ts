/** The text of `colophon-server upgrade --check`. */
import { finishedVersion } from '../../database/older-version.ts'
import type { TableWork } from '../../platform/migrations/migration-notes.ts'
import type { PendingMigration, TableChange, UpgradePlan } from './plan-upgrade.ts'

export function formatUpgradePlan(plan: UpgradePlan): string {
  return [
    `colophon-server ${plan.version}: ${summaries[plan.state]}`,
    ...plan.problems,
    ...formatMigrations(plan),
    ...nextSteps(plan),
  ].join('\n')
}

const summaries: Readonly<Record<UpgradePlan['state'], string>> = {
  new: 'the instance is new. migrate creates its tables.',
  upgrade: 'the instance can be upgraded to this version.',
  unfinished: 'all migrations are applied, and the upgrade is not finished.',
  up_to_date: 'the instance is up to date.',
  newer: 'a newer version has migrated the instance. This version can run on it; do not change the schema.',
  refused: 'this version must not be started on the instance.',
}

function formatMigrations({ state, migrations, estimatedSeconds }: UpgradePlan): string[] {
  if (state === 'new' || migrations.length === 0) return []
  return [
    '',
    `migrate applies ${migrations.length} migrations and takes ${formatSeconds(estimatedSeconds)}. Each is one transaction, and its locks last until its end.`,
    ...migrations.flatMap(formatMigration),
  ]
}

function formatMigration({ service, name, does, tables, estimatedSeconds }: PendingMigration): string[] {
  return [
    '',
    `${service} ${name}: ${does} (${formatSeconds(estimatedSeconds)})`,
    ...tables.filter(({ work }) => work !== 'new').map((change) => `  ${formatChange(change)}`),
  ]
}

const formatChange = ({ table, work, rows, bytes }: TableChange) =>
  `${table} (about ${rows.toLocaleString('en-US')} rows, ${formatBytes(bytes)}): ${locks[work]}`

const locks: Readonly<Record<TableWork, string>> = {
  new: 'is created',
  column: 'ACCESS EXCLUSIVE, its definition changes in a moment',
  read: 'ACCESS SHARE, is read, and nobody waits',
  rows: 'ROW EXCLUSIVE, rows are changed, and only writes of the same rows wait',
  index: 'SHARE, an index is built, and writes wait',
  scan: 'ACCESS EXCLUSIVE, is read, and everybody waits',
  rewrite: 'ACCESS EXCLUSIVE, is written again, and everybody waits',
}

function nextSteps({ state, previousVersionRuns, oldestVersion }: UpgradePlan): string[] {
  if (state === 'upgrade')
    return [
      '',
      previousVersionRuns
        ? 'Processes of the previous version keep working during and after the migrations, so you can go back to it until the upgrade is finished.'
        : 'Processes of the previous version do not work after these migrations: stop them first.',
      'Migrations cannot be undone. To return to the old schema, restore a backup.',
    ]
  if (state === 'unfinished')
    return [
      '',
      `Version ${oldestVersion} can still be started. When no process of it will run any longer: colophon-server upgrade --finish`,
      `Then versions before ${finishedVersion} cannot run any longer.`,
    ]
  return []
}

const formatSeconds = (seconds: number) =>
  seconds < 60 ? `about ${Math.max(1, Math.round(seconds))} s` : `about ${Math.ceil(seconds / 60)} min`

const formatBytes = (bytes: number) =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(0)} MB`
