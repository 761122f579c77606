/**
 * ClickHouse: the server from the PATH where there is one, else chdb, which is the same engine as a library, behind HTTP.
 * The product knows only ClickHouse over HTTP.
 */
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { cached } from './cache.ts'
import { findBinary } from './find-binary.ts'
import { freePort } from './free-port.ts'
import { Part } from './managed-process.ts'
import { showProgress } from './progress.ts'
import { randomPassword } from './random-password.ts'
import { runCommand } from './run-command.ts'

export interface Clickhouse {
  part: Part
  url: string
}

export type ClickhouseBinary = { kind: 'server'; clickhouse: string } | { kind: 'chdb'; directory: string }

const chdbVersion = '3.4.0'

export async function getClickhouse(): Promise<ClickhouseBinary> {
  const clickhouse = findBinary('clickhouse')
  if (clickhouse) return { kind: 'server', clickhouse }
  const directory = await cached('chdb', chdbVersion, async (part) => {
    const progress = showProgress(`Fetching ClickHouse's engine (chdb ${chdbVersion}, 550 MB)`, 60)
    const from = join(import.meta.dirname, 'chdb-package')
    for (const file of ['package.json', 'package-lock.json']) await copyFile(join(from, file), join(part, file))
    // Not `npm ci`: it insists on the platforms that the lockfile was not made on.
    const install = ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    await runCommand(install, { cwd: part }).finally(() => progress.done())
  })
  return { kind: 'chdb', directory }
}

export async function startClickhouse(binary: ClickhouseBinary, directory: string): Promise<Clickhouse> {
  await mkdir(directory, { recursive: true })
  const port = await freePort()
  const address = `127.0.0.1:${port}`
  const password = binary.kind === 'chdb' ? randomPassword() : ''
  // Not as another user, unlike PostgreSQL: the checkout may be where only its owner can read. Hence the password: a query can
  // read and write its user's files.
  const part = new Part({
    name: 'clickhouse',
    command:
      binary.kind === 'chdb'
        ? chdbCommand(binary.directory, directory, port)
        : serverCommand(binary.clickhouse, directory, port),
    cwd: directory,
    logFile: join(directory, '..', 'clickhouse.log'),
    env: { PATH: process.env.PATH, COLOPHON_ENGINE_PASSWORD: password },
    isReady: async () => (await fetch(`http://${address}/ping`, { signal: AbortSignal.timeout(1000) })).ok,
    readyWithinSeconds: 60,
  })
  await part.start()
  return { part, url: binary.kind === 'chdb' ? `http://default:${password}@${address}` : `http://${address}` }
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
