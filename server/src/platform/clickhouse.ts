import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import type { ServicesConfig } from './config.ts'

const requestTimeoutMs = 30_000

export const createClickhouse = (config: ServicesConfig['clickhouse']): ClickHouseClient =>
  createClient({
    url: config.url,
    application: 'colophon',
    request_timeout: requestTimeoutMs,
    log: { level: ClickHouseLogLevel.OFF }, // it would write plain text between our JSON lines; errors are thrown as well
  })

/** Creates the database of the URL. Does not try if it exists: a user may have access to this database only. */
export async function ensureClickhouseDatabase(config: ServicesConfig['clickhouse']): Promise<void> {
  const url = new URL(config.url)
  const database = decodeURIComponent(url.pathname.slice(1))
  if (database === '') return
  url.pathname = '/system' // every request is rejected that names a database that does not exist
  const client = createClickhouse({ url: url.href })
  try {
    const parameters = { query_params: { database } }
    const found = await client.query({
      query: 'SELECT name FROM system.databases WHERE name = {database:String}',
      ...parameters,
    })
    const { data } = await found.json<{ name: string }>()
    if (data.length === 0)
      await client.command({ query: 'CREATE DATABASE IF NOT EXISTS {database:Identifier}', ...parameters })
  } finally {
    await client.close()
  }
}
