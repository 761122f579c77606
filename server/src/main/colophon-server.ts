#!/usr/bin/env node
/** `colophon-server <command>`: the one program in the image. */
import {
  ConfigError,
  type LogConfig,
  loadApiConfig,
  loadMigrateConfig,
  loadRunnerConfig,
  loadServeConfig,
  loadWorkerConfig,
} from '../platform/config.ts'
import { Problem } from '../platform/http/problem.ts'
import { createLog } from '../platform/log.ts'
import { isServiceUnavailable } from '../platform/service-unavailable.ts'
import { type CommandGroup, defineCommand, runCommandLine } from './command-line.ts'
import { HostRequirementsError } from './processes/host-requirements-error.ts'
import { type RunningProcess, runUntilStopped } from './processes/running-process.ts'
import { UsageError } from './usage-error.ts'

const exitCodes = { ok: 0, failed: 1, usage: 2, configuration: 78 } as const // 78 is EX_CONFIG, which supervisors know

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
        await run('serve', config.api.log, (await import('./processes/serve.ts')).startServe(config))
      },
    }),
    api: defineCommand({
      summary: 'Run the public HTTP API and the dashboard',
      options: {},
      async run() {
        const config = loadApiConfig()
        await run('api', config.log, (await import('./processes/api.ts')).startApi(config))
      },
    }),
    worker: defineCommand({
      summary: 'Run background work and the gateway that runners connect to',
      options: {},
      async run() {
        const config = loadWorkerConfig()
        await run('worker', config.log, (await import('./processes/worker.ts')).startWorker(config))
      },
    }),
    runner: defineCommand({
      summary: 'Run agent turns in sandboxes; needs only the URL of the gateway and a runner token',
      options: {},
      async run() {
        const config = loadRunnerConfig()
        await run('runner', config.log, (await import('./processes/runner.ts')).startRunner(config))
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
        format: { placeholder: 'FORMAT', description: 'nginx, apache or caddy; detected line by line if omitted' },
      },
      operands: 'FILE...',
      run: async (options, paths) => (await import('./use-cases/import-logs.ts')).importLogs(options, paths),
    }),
    admin: {
      summary: 'Manage projects, API keys, people, repositories, models, runners and secrets',
      load: async () => (await import('./admin/admin.ts')).adminCommands,
    },
  },
}

async function run(name: string, logConfig: LogConfig, starting: Promise<RunningProcess>): Promise<void> {
  await runUntilStopped(await starting, createLog(name, logConfig))
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
  else
    createLog(commandName, { level: 'info' }).fatal(
      { error: error instanceof Error ? (error.stack ?? error.message) : String(error) },
      'fatal error: exiting',
    )
  return exitCodes.failed
}

/** A message without a stack trace, for failures that the user of a command can fix. */
function expectedFailureMessage(error: unknown, commandName: string): string | undefined {
  if (commandName !== 'admin' && commandName !== 'import-logs') return undefined
  if (isServiceUnavailable(error))
    return 'Cannot connect to PostgreSQL. Check COLOPHON_DATABASE_URL, and that the database is running.'
  const isTableMissing = (error as { code?: unknown }).code === '42P01'
  return isTableMissing ? "The database does not have Colophon's tables yet. Run colophon-server migrate." : undefined
}

// Not `exitCode`: a driver's timer for an unreachable server would keep the process running, or end it with an error.
process.exit(await main(process.argv.slice(2)))
