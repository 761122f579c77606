#!/usr/bin/env node
/** `colophon-server <process>`: the one program in the image. */
import {
  ConfigError,
  type LogConfig,
  loadApiConfig,
  loadRunnerConfig,
  loadServeConfig,
  loadServicesConfig,
  loadWorkerConfig,
} from '../platform/config.ts'
import { Problem } from '../platform/http/problem.ts'
import { createLog } from '../platform/log.ts'
import { isServiceUnavailable } from '../platform/service-unavailable.ts'
import { version } from '../platform/version.ts'
import { HostNotFit } from './host-not-fit.ts'
import { type Running, runUntilStopped } from './running-process.ts'
import { UsageError } from './usage-error.ts'

const usage = `colophon-server ${version}

  serve         api and worker in one process, migrating first: for small installations
  api           the public HTTP API and the dashboard
  worker        background work, and the gateway that runners talk to
  runner        runs agent turns; needs only the gateway's address and its own token
  migrate       brings the engines to this version's schema, and ends
  import-logs   counts the views in access logs: --project ID [--format nginx|apache|caddy] FILE...
  admin         projects, API keys, members, repositories, models, runners and sealing keys, without the dashboard

Settings come from the environment; docs/configuration.md lists them.`

const exitCodes = { ok: 0, failed: 1, usage: 2, configuration: 78 } as const // 78: EX_CONFIG, supervisors know it

/** Each loads only what it runs: a runner has no use for the engines' drivers, and a command should not wait for them. */
const commands: Readonly<Record<string, () => Promise<void>>> = {
  async serve() {
    const config = loadServeConfig()
    await run('serve', config.api.log, (await import('./serve.ts')).startServe(config))
  },
  async api() {
    const config = loadApiConfig()
    await run('api', config.log, (await import('./api.ts')).startApi(config))
  },
  async worker() {
    const config = loadWorkerConfig()
    await run('worker', config.log, (await import('./worker.ts')).startWorker(config))
  },
  async runner() {
    const config = loadRunnerConfig()
    await run('runner', config.log, (await import('./runner.ts')).startRunner(config))
  },
  async migrate() {
    const config = loadServicesConfig()
    await (await import('./migrate.ts')).migrateServices(config, createLog('migrate', config.log))
  },
  'import-logs': async () => (await import('./import-logs.ts')).importLogs(process.argv.slice(3)),
  admin: async () => (await import('./admin.ts')).admin(process.argv.slice(3)),
}

async function run(name: string, logConfig: LogConfig, starting: Promise<Running>): Promise<void> {
  await runUntilStopped(await starting, createLog(name, logConfig))
}

async function main(name: string | undefined): Promise<number> {
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) {
    const asked = name === undefined || name === 'help' || name === '--help'
    process.stderr.write(asked ? `${usage}\n` : `There is no process or command named ${name}.\n\n${usage}\n`)
    return asked ? exitCodes.ok : exitCodes.usage
  }
  try {
    await command()
    return exitCodes.ok
  } catch (error) {
    if (error instanceof ConfigError) {
      const count = error.mistakes.length === 1 ? 'a mistake' : `${error.mistakes.length} mistakes`
      process.stderr.write(`colophon-server ${name}: the configuration has ${count}:\n`)
      for (const mistake of error.mistakes) process.stderr.write(`  ${mistake}\n`)
      return exitCodes.configuration
    }
    if (error instanceof HostNotFit) {
      process.stderr.write(`colophon-server ${name}: this machine is not fit for it yet:\n`)
      for (const reason of error.reasons) process.stderr.write(`  ${reason}\n`)
      return exitCodes.configuration
    }
    if (error instanceof UsageError) {
      process.stderr.write(`${error.message}\n`)
      return exitCodes.usage
    }
    if (error instanceof Problem) {
      process.stderr.write(`${error.detail}\n`)
      return exitCodes.failed
    }
    const plain = name === 'admin' || name === 'import-logs' ? plainWords(error) : undefined
    if (plain) {
      process.stderr.write(`${plain}\n`)
      return exitCodes.failed
    }
    createLog(name ?? '', { level: 'info' }).fatal(
      { error: error instanceof Error ? (error.stack ?? error.message) : String(error) },
      'could not go on',
    )
    return exitCodes.failed
  }
}

/** For the person at the terminal, who has no use for a stack. */
function plainWords(error: unknown): string | undefined {
  if (isServiceUnavailable(error)) return 'PostgreSQL cannot be reached at COLOPHON_DATABASE_URL.'
  const tableMissing = (error as { code?: unknown }).code === '42P01'
  return tableMissing ? 'The database has no tables of Colophon yet: run colophon-server migrate.' : undefined
}

// Not `exitCode`: a driver's timer for a server that is away would keep a stopped process, or end it with an error.
process.exit(await main(process.argv[2]))
