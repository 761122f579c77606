#!/usr/bin/env node
/** `colophon-server <process>`: the one program in the image. */
import {
  ConfigError,
  loadApiConfig,
  loadEnginesConfig,
  loadRunnerConfig,
  loadServeConfig,
  loadWorkerConfig,
} from '../platform/config.ts'
import { isEngineAway } from '../platform/engine-away.ts'
import { Problem } from '../platform/http/problem.ts'
import { createLog } from '../platform/log.ts'
import { version } from '../platform/version.ts'
import { admin, adminUsage, UsageError } from './admin.ts'
import { startApi } from './api.ts'
import { migrateEngines } from './migrate.ts'
import { startRunner } from './runner.ts'
import { type Running, runUntilStopped } from './running-process.ts'
import { startServe } from './serve.ts'
import { startWorker } from './worker.ts'

const usage = `colophon-server ${version}

  serve     api and worker in one process, migrating first: for small installations
  api       the public HTTP API
  worker    background work, and the gateway that runners talk to
  runner    runs agent turns; needs only the gateway's address and its own token
  migrate   brings the engines to this version's schema, and ends
  admin     projects, API keys, members and sealing keys, without a dashboard

Settings come from the environment; docs/configuration.md lists them.`

const exitCodes = { ok: 0, failed: 1, usage: 2, configuration: 78 } as const // 78: EX_CONFIG, supervisors know it

const commands: Readonly<Record<string, () => Promise<void>>> = {
  serve: () => run('serve', loadServeConfig(), startServe, (config) => config.api.log),
  api: () => run('api', loadApiConfig(), startApi, (config) => config.log),
  worker: () => run('worker', loadWorkerConfig(), startWorker, (config) => config.log),
  runner: () => run('runner', loadRunnerConfig(), startRunner, (config) => config.log),
  async migrate() {
    const config = loadEnginesConfig()
    await migrateEngines(config, createLog('migrate', config.log))
  },
  admin: () => admin(process.argv.slice(3)),
}

async function run<Config>(
  name: string,
  config: Config,
  start: (config: Config) => Promise<Running>,
  logConfig: (config: Config) => Parameters<typeof createLog>[1],
): Promise<void> {
  await runUntilStopped(await start(config), createLog(name, logConfig(config)))
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
    if (error instanceof UsageError) {
      process.stderr.write(`${error.message ? `${error.message}\n\n` : ''}${adminUsage}\n`)
      return exitCodes.usage
    }
    if (error instanceof Problem) {
      process.stderr.write(`${error.detail}\n`)
      return exitCodes.failed
    }
    const plain = name === 'admin' ? plainWords(error) : undefined
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
  if (isEngineAway(error)) return 'PostgreSQL cannot be reached at COLOPHON_DATABASE_URL.'
  const tableMissing = (error as { code?: unknown }).code === '42P01'
  return tableMissing ? 'The database has no tables of Colophon yet: run colophon-server migrate.' : undefined
}

// Not `exitCode`: a driver's timer for a server that is away would keep a stopped process, or end it with an error.
process.exit(await main(process.argv[2]))
