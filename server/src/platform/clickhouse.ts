import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import type { ServicesConfig } from './config.ts'
import type { LabelsOf } from './metrics/catalog.ts'
import { isRecording, observeMetric } from './metrics/metrics.ts'

const requestTimeoutMs = 30_000

/** `timeoutMs`: without a response, or a part of one. */
export function createClickhouse(
  config: ServicesConfig['clickhouse'],
  { timeoutMs = requestTimeoutMs }: { timeoutMs?: number } = {},
): ClickHouseClient {
  const client = createClient({
    url: config.url,
    application: 'colophon',
    request_timeout: timeoutMs,
    log: { level: ClickHouseLogLevel.OFF }, // it would write plain text between our JSON lines; errors are thrown as well
  })
  if (isRecording()) measureRequests(client)
  return client
}

type Operation = LabelsOf<'colophon_clickhouse_request_duration_seconds'>['operation']

function measureRequests(client: ClickHouseClient): void {
  const measured = <Parameters, Result>(operation: Operation, send: (parameters: Parameters) => Promise<Result>) => {
    return async (parameters: Parameters): Promise<Result> => {
      const startedAtMs = performance.now()
      const observe = (result: 'ok' | 'failed') =>
        observeMetric(
          'colophon_clickhouse_request_duration_seconds',
          { operation, result },
          (performance.now() - startedAtMs) / 1000,
        )
      try {
        const response = await send.call(client, parameters)
        observe('ok')
        return response
      } catch (error) {
        observe('failed')
        throw error
      }
    }
  }
  client.query = measured('query', client.query) as typeof client.query
  client.insert = measured('insert', client.insert) as typeof client.insert
  client.exec = measured('insert', client.exec) as typeof client.exec // only for blocks of views: what writes backups records no metrics
  client.command = measured('command', client.command)
}

/** Exists from the beginning to the end of a restore: meanwhile, and after an interruption, there is only a part of the views. */
export const restoreMarkerTable = 'restore_in_progress'

export async function hasRestoreMarker(clickhouse: ClickHouseClient): Promise<boolean> {
  const response = await clickhouse.query({
    query: `SELECT count() AS count FROM system.tables WHERE database = currentDatabase() AND name = '${restoreMarkerTable}'`,
    format: 'JSONEachRow',
  })
  return Number((await response.json<{ count: string }>())[0]?.count) > 0
}

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
