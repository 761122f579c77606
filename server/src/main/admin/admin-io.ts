/** What the commands share: stores, input and output. Results go to standard output, messages for people to standard error. */
import { text as readStream } from 'node:stream/consumers'
import { createDatabase } from '../../database/database.ts'
import { loadPostgresConfig } from '../../platform/config.ts'
import { createLog } from '../../platform/log.ts'
import { createPostgresPool } from '../../platform/postgres.ts'
import { openStores, type Stores } from '../processes/open-stores.ts'
import { parseProjectId, parseProjectIds } from './option-parsers.ts'

/** Who made a change, in the audit log. */
export const operator = { kind: 'operator' } as const

export async function withStores(work: (stores: Stores) => Promise<void>): Promise<void> {
  const config = loadPostgresConfig()
  const pool = createPostgresPool(config.postgres, createLog('admin', config.log))
  try {
    await work(openStores(createDatabase(pool)))
  } finally {
    await pool.end()
  }
}

/** Secrets are not options, because options end up in the shell's history and in process lists. */
export async function readStdin(what: string): Promise<string> {
  if (process.stdin.isTTY) note(`Paste ${what}, press Enter, then Ctrl-D:`)
  return (await readStream(process.stdin)).trim()
}

/** The stores return one page. Longer lists are rare enough to say that they are cut. */
const maxListed = 1_000
export const firstPage = { limit: maxListed, before: undefined }

export function noteIfCut<Item>(items: readonly Item[]): readonly Item[] {
  if (items.length === maxListed) note(`Only the newest ${maxListed} are listed.`)
  return items
}

export function printFields(fields: Readonly<Record<string, string | number>>): void {
  const width = Math.max(...Object.keys(fields).map((name) => name.length))
  for (const [name, value] of Object.entries(fields)) print(`${name.padEnd(width)}  ${value}`)
}

export const print = (line: string) => process.stdout.write(`${line}\n`)
export const note = (line: string) => process.stderr.write(`${line}\n`)

export const project = {
  placeholder: 'ID',
  description: 'ID of the project',
  required: true,
  parse: parseProjectId,
} as const
export const projects = {
  placeholder: 'LIST',
  description: 'Comma-separated project IDs; all projects if omitted',
  parse: parseProjectIds,
} as const
