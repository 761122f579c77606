#!/usr/bin/env node
/** `colophon-server <command>`: the one program in the image. */
import { logFormats } from '../analytics/log-formats/log-format.ts'
import { BackupError } from '../backups/archive/backup-error.ts'
import {
  ConfigError,
  type LogConfig,
  loadApiConfig,
  loadBackupScheduleConfig,
  loadMigrateConfig,
  loadPostgresConfig,
  loadRunnerConfig,
  loadServeConfig,
  loadWorkerConfig,
  type MetricsConfig,
  type TracesConfig,
} from '../platform/config.ts'
import { Problem } from '../platform/http/problem.ts'
import { createLog, type ProcessName } from '../platform/log.ts'
import type { NamedProcess } from '../platform/metrics/catalog.ts'
import { VersionTooOldError } from '../platform/migrations/oldest-version.ts'
import { describeWithCauses, isServiceUnavailable } from '../platform/service-unavailable.ts'
import { type CommandGroup, defineCommand, runCommandLine } from './command-line.ts'
import { HostRequirementsError } from './processes/host-requirements-error.ts'
import { type RunningProcess, runUntilStopped } from './processes/running-process.ts'
import { UpgradeRefused } from './upgrade/upgrade-refused.ts'
import { UsageError } from './usage-error.ts'

const exitCodes = { ok: 0, failed: 1, usage: 2, refused: 3, configuration: 78 } as const // 78 is EX_CONFIG, which supervisors know

const backupOptions = {
  storage: { placeholder: 'PLACE', description: 'Directory of the backups; COLOPHON_BACKUP_STORAGE if omitted' },
} as const

/** Each command imports only the modules it runs: a runner does not need database drivers, and they slow down the start. */
const program: CommandGroup = {
  name: 'colophon-server',
  summary: 'Run and administer Colophon',
  notes: 'Settings are read from environment variables: see docs/configuration.md.',
  commands: {
    serve: defineCommand({
      summary: 'Run migrations, then api and worker in one process (for small instances)',
      options: {},
      async run() {
        const config = loadServeConfig()
        await run('serve', config.api, async () => (await import('./processes/serve.ts')).startServe(config))
      },
    }),
    api: defineCommand({
      summary: 'Run the public HTTP API and the dashboard',
      options: {},
      async run() {
        const config = loadApiConfig()
        await run('api', config, async () => (await import('./processes/api.ts')).startApi(config))
      },
    }),
    worker: defineCommand({
      summary: 'Run background work and the gateway that runners connect to',
      options: {},
      async run() {
        const config = loadWorkerConfig()
        await run('worker', config, async () => (await import('./processes/worker.ts')).startWorker(config))
      },
    }),
    runner: defineCommand({
      summary: 'Run agent turns in sandboxes; needs only the URL of the gateway and a runner token',
      options: {},
      async run() {
        const config = loadRunnerConfig()
        await run('runner', config, async () => (await import('./processes/runner.ts')).startRunner(config))
      },
    }),
    migrate: defineCommand({
      summary: 'Update PostgreSQL, ClickHouse and Temporal to the schema of this version, then exit',
      options: {},
      async run() {
        const config = loadMigrateConfig()
        await (await import('./processes/migrate.ts')).migrateServices(config, createLog('migrate', config.log))
      },
    }),
    upgrade: defineCommand({
      summary: 'Check what an upgrade to this version does, or finish it',
      description: [
        'Run it with the settings of migrate. --check changes nothing. Its exit code is 0 if this version can be started on the instance,',
        'after migrate if migrations are pending, 3 if it must not be started, and 1 if the services cannot be read.',
        'After --finish, older versions can no longer run on the instance, and this one uses formats that they cannot read.',
      ].join('\n'),
      options: {
        check: {
          description: 'Show the pending migrations, their locks, how long they take, and which versions can run',
        },
        json: { description: 'Show the result of the check as JSON' },
        finish: { description: 'Say that no process of an older version will run any longer' },
      },
      async run(options) {
        const { runUpgradeCommand } = await import('./upgrade/upgrade-command.ts')
        await runUpgradeCommand(loadMigrateConfig(), options, (text) => void process.stdout.write(`${text}\n`))
      },
    }),
    'compose-setup': defineCommand({
      summary: 'Create the secrets and files that deploy/compose.yml needs in its volumes, then exit',
      description: 'Existing secrets are kept. Each service gets a volume with only those that it needs.',
      options: {
        'sealing-keys': {
          placeholder: 'STEP',
          description: 'First do a step of the rotation of the sealing keys: add, use-new or remove-old',
        },
      },
      async run({ 'sealing-keys': step }) {
        const { rotateComposeSealingKeys, setUpComposeVolumes } = await import('./use-cases/compose-setup.ts')
        if (step !== undefined) rotateComposeSealingKeys(step)
        await setUpComposeVolumes()
      },
    }),
    'import-logs': defineCommand({
      summary: 'Count the page views in access logs',
      description: [
        'The files may be compressed with gzip. Files that cannot be read are reported and skipped. You can import a file',
        'again after it has grown or after an import was interrupted: every line is counted once.',
      ].join('\n'),
      options: {
        project: { placeholder: 'ID', description: 'ID of the project', required: true },
        format: {
          placeholder: 'FORMAT',
          description: `${logFormats.join(', ')}; detected if omitted`,
        },
        host: { placeholder: 'NAME', description: 'count only requests for this host, if the logs have several sites' },
      },
      operands: 'FILE...',
      run: async (options, paths) => (await import('./use-cases/import-logs.ts')).importLogs(options, paths),
    }),
    support: defineCommand({
      summary: 'Write a file about this instance for troubleshooting, without secrets or names',
      description: [
        'Run it with the settings of api or worker. It reads sizes, counts, versions and slow statements from PostgreSQL,',
        'ClickHouse and Temporal, and changes nothing. README.md in the file says what is in it.',
      ].join('\n'),
      options: {
        output: {
          placeholder: 'FILE',
          description: 'The file to write, - for standard output (default: colophon-support-TIME.tar.gz)',
        },
        logs: {
          placeholder: 'FILE',
          description: 'Logs of the processes to include, - for standard input; names are removed',
        },
      },
      run: async (options) => (await import('./support/support.ts')).writeSupportBundle(options),
    }),
    backup: defineCommand({
      summary: 'Write an encrypted backup of PostgreSQL and ClickHouse while all processes keep running',
      description: [
        'Needs the settings of `migrate` for PostgreSQL and ClickHouse, and COLOPHON_BACKUP_RECIPIENTS. The sealing keys are not in the',
        'backup: keep them in another place.',
      ].join('\n'),
      options: backupOptions,
      run: async (options) => (await import('./use-cases/backup-commands.ts')).writeBackup(options),
    }),
    'backup schedule': defineCommand({
      summary: 'Write backups regularly, until it is stopped',
      description: [
        'Needs what `backup` needs, and the settings of Temporal, which has the schedule: COLOPHON_BACKUP_SCHEDULE. One process is enough',
        'for an instance. It keeps the number of backups in COLOPHON_BACKUP_KEEP, and deletes older ones.',
      ].join('\n'),
      options: {},
      async run() {
        const config = loadBackupScheduleConfig()
        const { startBackupSchedule } = await import('./processes/backup-schedule.ts')
        await runUntilStopped(startBackupSchedule(config), createLog('backup', config.log))
      },
    }),
    'backup list': defineCommand({
      summary: 'List the backups',
      options: backupOptions,
      run: async (options) => (await import('./use-cases/backup-commands.ts')).printBackups(options),
    }),
    'backup verify': defineCommand({
      summary: 'Read a backup completely and say what it contains, without a database',
      description: 'Without COLOPHON_BACKUP_IDENTITY, only the checksums of the files are compared.',
      options: {
        ...backupOptions,
        backup: { placeholder: 'NAME', description: 'Name of the backup; the newest one if omitted' },
      },
      run: async (options) => (await import('./use-cases/backup-commands.ts')).verify(options),
    }),
    'backup key generate': defineCommand({
      summary: 'Generate the key pair that encrypts and opens backups, and print both settings',
      options: {},
      run: async () => (await import('./use-cases/backup-commands.ts')).generateBackupKey(),
    }),
    restore: defineCommand({
      summary: 'Restore a backup into empty databases, and update them to the schema of this version',
      description: [
        'Needs the settings of `migrate`, and COLOPHON_BACKUP_IDENTITY. Stop all other processes first. If it fails, run it again.',
        'With --only, PostgreSQL and ClickHouse can be restored from different backups.',
      ].join('\n'),
      options: {
        ...backupOptions,
        backup: { placeholder: 'NAME', description: 'Name of the backup; the newest one if omitted' },
        only: { placeholder: 'SERVICE', description: 'postgres or clickhouse; both if omitted' },
        'keep-sessions': { description: 'Keep people signed in, also if their session was ended after the backup' },
      },
      run: async (options) => (await import('./use-cases/backup-commands.ts')).restore(options),
    }),
    'reset-after-recovery': defineCommand({
      summary: 'Do what restore does, after PostgreSQL was recovered with another tool',
      description: [
        'Needs the settings of `migrate` for PostgreSQL. Run it after migrate, and before all other processes start. Jobs continue, pending',
        'deliveries of events are not sent again, and all sessions end.',
      ].join('\n'),
      options: {
        'keep-sessions': { description: 'Keep people signed in, also if their session was ended since' },
      },
      async run({ 'keep-sessions': keepSessions = false }) {
        const { resetAfterRecovery } = await import('./use-cases/reset-after-recovery.ts')
        await resetAfterRecovery(loadPostgresConfig(), { keepSessions })
      },
    }),
    admin: {
      summary: 'Manage projects, API keys, people, repositories, models, runners and secrets',
      load: async () => (await import('./admin/admin.ts')).adminCommands,
    },
  },
}

async function run(
  name: NamedProcess,
  config: { log: LogConfig; metrics: MetricsConfig; traces?: TracesConfig | undefined },
  start: () => Promise<RunningProcess>,
): Promise<void> {
  const log = createLog(name, config.log)
  const metrics =
    config.metrics.listen &&
    (await (
      await import('../platform/metrics/metrics-server.ts')
    ).startMetrics({ ...config.metrics, listen: config.metrics.listen }, name, log))
  const tracing =
    config.traces && (await import('../platform/tracing/start-tracing.ts')).startTracing(config.traces, name, log)
  await runUntilStopped(await start(), log)
  await tracing?.stop()
  await metrics?.stop()
}

async function main(args: readonly string[]): Promise<number> {
  try {
    await runCommandLine(program, args)
    return exitCodes.ok
  } catch (error) {
    return report(error, args[0] ?? '')
  }
}

/** Prints the error for the person at the terminal, and returns the exit code. */
function report(error: unknown, commandName: string): number {
  if (error instanceof UsageError) {
    process.stderr.write(`colophon-server: ${error.message}\nRun '${error.command} --help' for usage.\n`)
    return exitCodes.usage
  }
  if (error instanceof UpgradeRefused) return exitCodes.refused
  if (error instanceof VersionTooOldError) {
    process.stderr.write(`colophon-server ${commandName}: ${error.message}\n`)
    return exitCodes.refused
  }
  if (error instanceof ConfigError) {
    const count = error.errors.length === 1 ? '1 error' : `${error.errors.length} errors`
    process.stderr.write(`colophon-server ${commandName}: the configuration has ${count}:\n`)
    for (const mistake of error.errors) process.stderr.write(`  ${mistake}\n`)
    return exitCodes.configuration
  }
  if (error instanceof HostRequirementsError) {
    process.stderr.write(`colophon-server ${commandName}: this machine does not meet the requirements:\n`)
    for (const reason of error.reasons) process.stderr.write(`  ${reason}\n`)
    return exitCodes.configuration
  }
  const message = error instanceof Problem ? error.detail : expectedFailureMessage(error, commandName)
  if (message) process.stderr.write(`${message}\n`)
  else {
    // A command that does not exist is a UsageError.
    const log = createLog(commandName as ProcessName, { level: 'info' })
    log.fatal(
      { error: error instanceof Error ? (error.stack ?? error.message) : String(error) },
      'fatal error: exiting',
    )
  }
  return exitCodes.failed
}

const commandsForPeople = ['admin', 'import-logs', 'upgrade', 'backup', 'restore', 'reset-after-recovery']

/** A message without a stack trace, for failures that the user of a command can fix. */
function expectedFailureMessage(error: unknown, commandName: string): string | undefined {
  if (error instanceof BackupError) return error.message
  if (!commandsForPeople.includes(commandName)) return undefined
  if (isServiceUnavailable(error))
    return `A service is unavailable: ${describeWithCauses(error)}. Check that it is running, and the setting with its address.`
  const isTableMissing = (error as { code?: unknown }).code === '42P01'
  return isTableMissing ? "The database does not have Colophon's tables yet. Run colophon-server migrate." : undefined
}

// Not `exitCode`: a driver's timer for an unreachable server would keep the process running, or end it with an error.
process.exit(await main(process.argv.slice(2)))
