/** PostgreSQL from the system's packages, with a data directory of its own. */
import { readdirSync } from 'node:fs'
import { chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { findBinary } from './find-binary.ts'
import { freePort } from './free-port.ts'
import { Part } from './managed-process.ts'
import { randomPassword } from './random-password.ts'
import { runCommand } from './run-command.ts'
import { ensureSystemPackage } from './system-package.ts'
import { asUser, unprivilegedUser } from './unprivileged-user.ts'

export interface Postgres {
  part: Part
  host: string
  port: number
  user: string
  password: string
  /** Of the maintenance database; put another path for another database. */
  url: string
}

const user = 'postgres'

/** Debian keeps the server's programs off the PATH, in a directory per version; Homebrew too. */
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

export const ensurePostgres = () => ensureSystemPackage('postgresql', () => find('initdb') !== undefined)

export async function startPostgres(directory: string): Promise<Postgres> {
  const initdb = find('initdb')
  const postgres = find('postgres')
  if (!initdb || !postgres) throw new Error('PostgreSQL is installed, but its initdb and postgres are not to be found.')

  const data = join(directory, 'data')
  const password = randomPassword() // whoever else is on this machine can reach the port, and a superuser can run programs
  const runAs = unprivilegedUser()
  const passwordFile = join(directory, 'password')
  await mkdir(directory, { recursive: true })
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (runAs) for (const path of [directory, passwordFile]) await chown(path, runAs.uid, runAs.gid)
  await runCommand(
    [...asUser(runAs), initdb, '-D', data, '-U', user, '--pwfile', passwordFile, '--auth=scram-sha-256'].concat([
      '--encoding=UTF8',
      '--locale=C.UTF-8',
      '--no-instructions',
    ]),
    { cwd: directory },
  )

  const port = await freePort()
  const url = `postgres://${user}:${password}@127.0.0.1:${port}/postgres`
  // fsync stays on: proofs kill this process and count what is left.
  const settings = { listen_addresses: '127.0.0.1', port, unix_socket_directories: directory, max_connections: 400 }
  const part = new Part({
    name: 'postgres',
    command: [postgres, '-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    cwd: directory,
    logFile: join(directory, '..', 'postgres.log'),
    ...(runAs && { user: runAs }),
    stopSignal: 'SIGINT', // "fast": ends sessions, not the wait for them
    isReady: () => responses(url),
    readyWithinSeconds: 60,
  })
  await part.start()
  return { part, host: '127.0.0.1', port, user, password, url }
}

async function responses(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1000 })
  client.on('error', () => {}) // killed under our hands: the next question says so
  try {
    await client.connect()
    await client.query('SELECT 1')
    return true
  } finally {
    await client.end().catch(() => {})
  }
}
