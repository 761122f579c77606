/** Starts PostgreSQL from the system's packages, with a new data directory. */
import { readdirSync } from 'node:fs'
import { appendFile, chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { findBinary } from './find-binary.ts'
import { freePort } from './free-port.ts'
import { ManagedProcess } from './managed-process.ts'
import { randomPassword } from './random-password.ts'
import { runCommand } from './run-command.ts'
import { ensureSystemPackage } from './system-package.ts'
import { setprivPrefix, unprivilegedUser } from './unprivileged-user.ts'

export interface RunningPostgres {
  process: ManagedProcess
  host: string
  port: number
  user: string
  password: string
  /** URL of the maintenance database. Replace the path to connect to another database. */
  url: string
}

const user = 'postgres'

/** Debian and Homebrew install the server's programs outside the PATH, in a directory per version. */
function binaryDirectories(): string[] {
  const roots = ['/usr/lib/postgresql', '/opt/homebrew/opt', '/usr/local/opt']
  return roots.flatMap((root) => {
    try {
      const versions = readdirSync(root).filter((name) => /^(postgresql@)?\d+$/.test(name))
      return versions.sort((a, b) => majorOf(b) - majorOf(a)).map((name) => join(root, name, 'bin'))
    } catch {
      return []
    }
  })
}

const majorOf = (name: string) => Number(name.replace('postgresql@', ''))

const find = (name: string) => findBinary(name, binaryDirectories())

export const ensurePostgresInstalled = () => ensureSystemPackage('postgresql', () => find('initdb') !== undefined)

export interface PostgresOptions {
  /** Added to the environment of the server. */
  env?: Record<string, string>
}

export async function startPostgres(directory: string, { env = {} }: PostgresOptions = {}): Promise<RunningPostgres> {
  const data = join(directory, 'data')
  const password = randomPassword() // other users of this machine can reach the port, and a superuser can run programs
  const runAs = unprivilegedUser()
  const passwordFile = join(directory, 'password')
  await mkdir(directory, { recursive: true })
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (runAs) for (const path of [directory, passwordFile]) await chown(path, runAs.uid, runAs.gid)
  await runCommand(
    [
      ...setprivPrefix(runAs),
      findServerProgram('initdb'),
      '-D',
      data,
      '-U',
      user,
      '--pwfile',
      passwordFile,
      '--auth=scram-sha-256',
    ].concat(['--encoding=UTF8', '--locale=C.UTF-8', '--no-instructions']),
    { cwd: directory },
  )
  // Proofs simulate machines that connect from addresses of their own.
  await appendFile(join(data, 'pg_hba.conf'), 'host all all 127.0.0.0/8 scram-sha-256\n')
  return await startServer(directory, password, env)
}

/**
 * Starts a hot standby with streaming replication. Its `application_name`, for `synchronous_standby_names` of the primary, is
 * `standby`.
 */
export async function startPostgresStandby(
  directory: string,
  /** Where the standby reaches the primary: possibly through a relay. */
  primaryUrl: string,
): Promise<RunningPostgres> {
  const runAs = unprivilegedUser()
  await mkdir(directory, { recursive: true })
  if (runAs) await chown(directory, runAs.uid, runAs.gid)
  const { hostname, port, username, password } = new URL(primaryUrl)
  const backup = ['--pgdata', join(directory, 'data'), '--checkpoint=fast', '--write-recovery-conf']
  await runCommand([...setprivPrefix(runAs), findServerProgram('pg_basebackup'), ...backup], {
    cwd: directory,
    // Not as arguments, which other users can read. All of them become part of the standby's configuration.
    env: {
      PATH: process.env.PATH,
      PGHOST: hostname,
      PGPORT: port,
      PGUSER: username,
      PGPASSWORD: password,
      PGAPPNAME: 'standby',
    },
  })
  return await startServer(directory, password, {})
}

function findServerProgram(name: 'initdb' | 'postgres' | 'pg_basebackup'): string {
  const program = find(name)
  if (!program) throw new Error(`PostgreSQL is installed, but ${name} was not found. Add its directory to the PATH.`)
  return program
}

/** With the data in the subdirectory `data`. */
async function startServer(directory: string, password: string, env: Record<string, string>): Promise<RunningPostgres> {
  const data = join(directory, 'data')
  const runAs = unprivilegedUser()
  const port = await freePort()
  const url = `postgres://${user}:${password}@127.0.0.1:${port}/postgres`
  // fsync stays on: proofs kill this process and count the rows that survive.
  const settings = { listen_addresses: '127.0.0.1', port, unix_socket_directories: directory, max_connections: 400 }
  // With `env`, because `setpriv` still runs as root and must not load a library that LD_PRELOAD names.
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const prefix = variables.length === 0 ? [] : ['env', ...variables]
  const settingArguments = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const managedProcess = new ManagedProcess({
    name: 'postgres',
    command: [...prefix, findServerProgram('postgres'), '-D', data, ...settingArguments],
    cwd: directory,
    logFile: join(directory, '../..', 'postgres.log'),
    ...(runAs && { user: runAs }),
    stopSignal: 'SIGINT', // "fast" shutdown: ends sessions instead of waiting for them
    isReady: () => acceptsQueries(url),
    readyWithinSeconds: 60,
  })
  await managedProcess.start()
  return { process: managedProcess, host: '127.0.0.1', port, user, password, url }
}

async function acceptsQueries(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1000 })
  client.on('error', () => {}) // the server was killed: the query below fails
  try {
    await client.connect()
    await client.query('SELECT 1')
    return true
  } finally {
    await client.end().catch(() => {})
  }
}
