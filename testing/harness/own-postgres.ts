/** A PostgreSQL that one test may kill, fill or slow down. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import {
  ensurePostgresInstalled,
  type PostgresOptions,
  type RunningPostgres,
  startPostgres,
  startPostgresStandby,
} from '../services/start-postgres.ts'
import type { CleanUp } from './colophon.ts'

export interface OwnPostgres extends RunningPostgres {
  /** Contains the data. */
  directory: string
}

export async function startOwnPostgres(
  { cleanUp }: CleanUp,
  { directory, ...options }: PostgresOptions & { /** Default: a temporary directory. */ directory?: string } = {},
): Promise<OwnPostgres> {
  await ensurePostgresInstalled()
  const parent = mkdtempSync(join(tmpdir(), 'colophon-own-postgres-'))
  chmodSync(parent, 0o755) // if this process is root, PostgreSQL runs as another user
  cleanUp(async () => rmSync(parent, { recursive: true, force: true, maxRetries: 5 }))
  const dataDirectory = directory ?? join(parent, 'services/postgres')
  const postgres = await startPostgres(dataDirectory, options)
  cleanUp(() => postgres.process.stop())
  return { ...postgres, directory: dataDirectory }
}

/** One connection. That the server ends it, also while it is being closed, fails only the query that runs. */
export function openOwnPool({ url }: RunningPostgres): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** A streaming standby of a primary that is reached at this URL, possibly through a relay. */
export async function startOwnStandby({ cleanUp }: CleanUp, primaryUrl: string): Promise<RunningPostgres> {
  const parent = mkdtempSync(join(tmpdir(), 'colophon-own-standby-'))
  chmodSync(parent, 0o755)
  cleanUp(async () => rmSync(parent, { recursive: true, force: true, maxRetries: 5 }))
  const standby = await startPostgresStandby(join(parent, 'services/postgres'), primaryUrl)
  cleanUp(() => standby.process.stop())
  return standby
}
