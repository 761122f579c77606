/**
 * Starts the Temporal server on the shared PostgreSQL. Its binaries come from the PATH or are built once from its Go
 * module.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Connection } from '@temporalio/client'
import { getOrFillCacheDirectory, isCached } from './cache.ts'
import { findBinary } from './find-binary.ts'
import { freePort } from './free-port.ts'
import { buildGoModule, type GoModule } from './go-build.ts'
import { ManagedProcess } from './managed-process.ts'
import { runCommand } from './run-command.ts'
import type { RunningPostgres } from './start-postgres.ts'

export interface RunningTemporal {
  process: ManagedProcess
  address: string
}

const module: GoModule = {
  title: 'Temporal',
  path: 'go.temporal.io/server',
  version: 'v1.32.1',
  sum: 'h1:grI5B5cBEMRJnDzGKtsxQRQpsNPisej1B6WgVksc9EM=',
  commands: { 'temporal-server': './cmd/server', 'temporal-sql-tool': './cmd/tools/sql' },
  expectedSeconds: 540,
}

export interface TemporalBinaries {
  server: string
  sqlTool: string
  schema: string
}

/** Binaries from the PATH. They do not include the schema files, so `TEMPORAL_SCHEMA_DIR` must point to those. */
function installedTemporal(): TemporalBinaries | undefined {
  const schema = process.env.TEMPORAL_SCHEMA_DIR
  const server = findBinary('temporal-server')
  const sqlTool = findBinary('temporal-sql-tool')
  return schema && server && sqlTool ? { server, sqlTool, schema } : undefined
}

export const isTemporalAvailable = (): boolean =>
  installedTemporal() !== undefined || isCached('temporal', module.version)

export async function getTemporalBinaries(): Promise<TemporalBinaries> {
  const installed = installedTemporal()
  if (installed) return installed
  const directory = await getOrFillCacheDirectory('temporal', module.version, (partDirectory) =>
    buildGoModule(module, partDirectory),
  )
  return {
    server: join(directory, 'bin/temporal-server'),
    sqlTool: join(directory, 'bin/temporal-sql-tool'),
    schema: join(directory, 'source/schema/postgresql/v12'),
  }
}

export async function startTemporal(
  binaries: TemporalBinaries,
  directory: string,
  postgres: RunningPostgres,
  { hasDatabases = false }: { /** PostgreSQL has the databases of an earlier Temporal. */ hasDatabases?: boolean } = {},
): Promise<RunningTemporal> {
  await mkdir(directory, { recursive: true })
  if (!hasDatabases)
    await Promise.all((['temporal', 'visibility'] as const).map((kind) => prepareDatabase(binaries, postgres, kind)))
  const ports = {
    frontend: [await freePort(), await freePort()],
    history: [await freePort(), await freePort()],
    matching: [await freePort(), await freePort()],
    worker: [await freePort(), await freePort()],
  } as const
  const address = `127.0.0.1:${ports.frontend[0]}`
  const dynamicConfigFile = join(directory, 'dynamic.yaml')
  const configFile = join(directory, 'config.yaml')
  await writeFile(dynamicConfigFile, dynamicConfig)
  await writeFile(configFile, JSON.stringify(configuration(postgres, ports, dynamicConfigFile), null, 2)) // JSON is YAML
  const managedProcess = new ManagedProcess({
    name: 'temporal',
    command: [binaries.server, '--config-file', configFile, '--allow-no-auth', 'start'],
    cwd: directory,
    logFile: join(directory, '../..', 'temporal.log'),
    isReady: () => isServing(address),
    readyWithinSeconds: 60,
  })
  await managedProcess.start()
  return { process: managedProcess, address }
}

async function prepareDatabase(
  binaries: TemporalBinaries,
  postgres: RunningPostgres,
  kind: 'temporal' | 'visibility',
): Promise<void> {
  const tool = (...args: string[]) =>
    runCommand([
      binaries.sqlTool,
      '--plugin',
      'postgres12',
      '--ep',
      postgres.host,
      '-p',
      String(postgres.port),
      '-u',
      postgres.user,
      '--pw',
      postgres.password,
      '--db',
      databaseNames[kind],
      ...args,
    ])
  await tool('create-database')
  await tool('setup-schema', '-v', '0.0')
  await tool('update-schema', '-d', join(binaries.schema, kind, 'versioned'))
}

const databaseNames = { temporal: 'temporal', visibility: 'temporal_visibility' } as const

function configuration(
  postgres: RunningPostgres,
  ports: Readonly<Record<'frontend' | 'history' | 'matching' | 'worker', readonly [number, number]>>,
  dynamicConfigFile: string,
): object {
  const store = (databaseName: string, maxConns: number) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: `${postgres.host}:${postgres.port}`,
      connectProtocol: 'tcp',
      user: postgres.user,
      password: postgres.password,
      maxConns,
      maxIdleConns: maxConns,
      maxConnLifetime: '1h',
    },
  })
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: 4,
      datastores: { default: store(databaseNames.temporal, 20), visibility: store(databaseNames.visibility, 4) },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: Object.fromEntries(
      Object.entries(ports).map(([service, [grpcPort, membershipPort]]) => [
        service,
        { rpc: { grpcPort, membershipPort, bindOnLocalHost: true } },
      ]),
    ),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: `127.0.0.1:${ports.frontend[0]}`,
        },
      },
    },
    dynamicConfigClient: { filepath: dynamicConfigFile, pollInterval: '10s' },
  }
}

// A new namespace is visible only after the namespace cache was refreshed. The default of 10 s is too long for proofs,
// which create one each.
const dynamicConfig = `system.namespaceCacheRefreshInterval:
  - value: 1s
`

async function isServing(address: string): Promise<boolean> {
  const connection = await Connection.connect({ address, connectTimeout: '1s' })
  try {
    const { status } = await connection.healthService.check({
      service: 'temporal.api.workflowservice.v1.WorkflowService',
    })
    return status === 1
  } finally {
    await connection.close()
  }
}
