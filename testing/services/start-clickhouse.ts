/**
 * Starts ClickHouse: the server from the PATH if there is one, otherwise the same server out of libchdb. Colophon talks to
 * ClickHouse only over HTTP.
 */
import { copyFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getOrFillCacheDirectory } from './cache.ts'
import { findBinary } from './find-binary.ts'
import { freePort } from './free-port.ts'
import { ManagedProcess } from './managed-process.ts'
import { showProgress } from './progress-display.ts'
import { randomPassword } from './random-password.ts'
import { runCommand } from './run-command.ts'
import { ensureSystemPackage } from './system-package.ts'

export interface RunningClickhouse {
  process: ManagedProcess
  url: string
}

export type ClickhouseBinary = { kind: 'server'; clickhouse: string } | { kind: 'library'; library: string }

const libraryVersion = '26.7.3-stable.1'
const deployDirectory = join(import.meta.dirname, '../../deploy/clickhouse')

export async function getClickhouseBinary(): Promise<ClickhouseBinary> {
  const clickhouse = findBinary('clickhouse')
  if (clickhouse) return { kind: 'server', clickhouse }
  await ensureSystemPackage('python3', () => findBinary('python3') !== undefined)
  return { kind: 'library', library: await getClickhouseLibrary() }
}

export async function getClickhouseLibrary(): Promise<string> {
  const directory = await getOrFillCacheDirectory('libchdb', libraryVersion, async (partDirectory) => {
    const progress = showProgress(`Fetching ClickHouse (libchdb ${libraryVersion}, 550 MB)`, 60)
    const from = join(import.meta.dirname, 'chdb-package')
    for (const file of ['package.json', 'package-lock.json'])
      await copyFile(join(from, file), join(partDirectory, file))
    // Not `npm ci`: it requires the optional packages of platforms other than the one that the lockfile was created on.
    const install = ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    await runCommand(install, { cwd: partDirectory }).finally(() => progress.done())
  })
  const libc = process.platform === 'linux' ? '-gnu' : ''
  return join(directory, `node_modules/@chdb/lib-${process.platform}-${process.arch}${libc}/libchdb.so`)
}

/** The configuration files to add, by directory. */
export interface ClickhouseConfig {
  'config.d': readonly string[]
  'users.d': readonly string[]
}

export interface ClickhouseOptions {
  config?: ClickhouseConfig
  /** Added to the environment of the server. */
  env?: Record<string, string>
}

/** As in deploy/compose.dev.yml. */
const defaultConfig: ClickhouseConfig = { 'config.d': ['system-logs.xml'], 'users.d': [] }

export async function startClickhouse(
  binary: ClickhouseBinary,
  directory: string,
  { config = defaultConfig, env = {} }: ClickhouseOptions = {},
): Promise<RunningClickhouse> {
  await mkdir(directory, { recursive: true })
  const port = await freePort()
  const address = `127.0.0.1:${port}`
  // Unlike PostgreSQL, this does not run as another user, because perhaps only its owner can read the checkout. Therefore the
  // password: a query can read and write the files of its user.
  const password = randomPassword()
  const configDirectory = `${directory}-config`
  if (binary.kind === 'library') await writeConfig(configDirectory, password, config)
  const managedProcess = new ManagedProcess({
    name: 'clickhouse',
    command:
      binary.kind === 'library'
        ? libraryCommand(binary.library, configDirectory, directory, port)
        : serverCommand(binary.clickhouse, directory, port),
    cwd: binary.kind === 'library' ? configDirectory : directory,
    logFile: join(directory, '../..', 'clickhouse.log'),
    env: { PATH: process.env.PATH, ...env },
    isReady: async () => (await fetch(`http://${address}/ping`, { signal: AbortSignal.timeout(1000) })).ok,
    readyWithinSeconds: 60,
  })
  await managedProcess.start()
  return {
    process: managedProcess,
    url: binary.kind === 'library' ? `http://colophon:${password}@${address}` : `http://${address}`,
  }
}

async function writeConfig(directory: string, password: string, config: ClickhouseConfig): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const from = join(import.meta.dirname, 'clickhouse')
  await copyFile(join(from, 'config.xml'), join(directory, 'config.xml'))
  const users = await readFile(join(from, 'users.xml'), 'utf8')
  await writeFile(join(directory, 'users.xml'), users.replace('>PASSWORD<', `>${password}<`), { mode: 0o600 })
  for (const [subdirectory, files] of Object.entries(config)) {
    for (const file of files) await cp(join(deployDirectory, file), join(directory, subdirectory, file))
  }
}

const libraryCommand = (library: string, config: string, data: string, port: number) => [
  'python3',
  join(import.meta.dirname, 'clickhouse/server.py'),
  library,
  `--config-file=${config}/config.xml`,
  `--path=${data}`,
  '--listen_host=127.0.0.1',
  `--http_port=${port}`,
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
