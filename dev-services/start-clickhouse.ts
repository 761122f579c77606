/**
 * Starts ClickHouse: the server from the PATH if there is one, otherwise chdb, the same database as a library, behind HTTP.
 * Colophon talks to ClickHouse only over HTTP.
 */
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { getOrFillCacheDirectory } from './cache.ts'
import { findBinary } from './find-binary.ts'
import { freePort } from './free-port.ts'
import { ManagedProcess } from './managed-process.ts'
import { showProgress } from './progress-display.ts'
import { randomPassword } from './random-password.ts'
import { runCommand } from './run-command.ts'

export interface RunningClickhouse {
  process: ManagedProcess
  url: string
}

export type ClickhouseBinary = { kind: 'server'; clickhouse: string } | { kind: 'chdb'; directory: string }

const chdbVersion = '3.4.0'

export async function getClickhouseBinary(): Promise<ClickhouseBinary> {
  const clickhouse = findBinary('clickhouse')
  if (clickhouse) return { kind: 'server', clickhouse }
  const directory = await getOrFillCacheDirectory('chdb', chdbVersion, async (partDirectory) => {
    const progress = showProgress(`Fetching ClickHouse as a library (chdb ${chdbVersion}, 550 MB)`, 60)
    const from = join(import.meta.dirname, 'chdb-package')
    for (const file of ['package.json', 'package-lock.json'])
      await copyFile(join(from, file), join(partDirectory, file))
    // Not `npm ci`: it requires the optional packages of platforms other than the one that the lockfile was created on.
    const install = ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    await runCommand(install, { cwd: partDirectory }).finally(() => progress.done())
  })
  return { kind: 'chdb', directory }
}

export async function startClickhouse(binary: ClickhouseBinary, directory: string): Promise<RunningClickhouse> {
  await mkdir(directory, { recursive: true })
  const port = await freePort()
  const address = `127.0.0.1:${port}`
  const password = binary.kind === 'chdb' ? randomPassword() : ''
  // Unlike PostgreSQL, this does not run as another user, because perhaps only its owner can read the checkout. Therefore the
  // password: a query can read and write the files of its user.
  const managedProcess = new ManagedProcess({
    name: 'clickhouse',
    command:
      binary.kind === 'chdb'
        ? chdbCommand(binary.directory, directory, port)
        : serverCommand(binary.clickhouse, directory, port),
    cwd: directory,
    logFile: join(directory, '..', 'clickhouse.log'),
    env: { PATH: process.env.PATH, COLOPHON_DEV_CLICKHOUSE_PASSWORD: password },
    isReady: async () => (await fetch(`http://${address}/ping`, { signal: AbortSignal.timeout(1000) })).ok,
    readyWithinSeconds: 60,
  })
  await managedProcess.start()
  return {
    process: managedProcess,
    url: binary.kind === 'chdb' ? `http://default:${password}@${address}` : `http://${address}`,
  }
}

const chdbCommand = (chdb: string, data: string, port: number) => [
  process.execPath,
  join(import.meta.dirname, 'clickhouse/server.ts'),
  '--chdb',
  chdb,
  '--data',
  data,
  '--port',
  String(port),
]

const serverCommand = (clickhouse: string, data: string, port: number) => [
  clickhouse,
  'server',
  '--',
  `--path=${data}`,
  '--listen_host=127.0.0.1',
  `--http_port=${port}`,
  '--tcp_port=0',
  '--mysql_port=0',
  '--postgresql_port=0',
  '--interserver_http_port=0',
  '--logger.console=1',
]
