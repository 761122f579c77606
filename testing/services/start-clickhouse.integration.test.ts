/** The configuration in deploy/clickhouse, in a running server. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@clickhouse/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getClickhouseBinary, type RunningClickhouse, startClickhouse } from './start-clickhouse.ts'

const directory = mkdtempSync(join(tmpdir(), 'colophon-clickhouse-'))
const binary = await getClickhouseBinary()
let clickhouse: RunningClickhouse

beforeAll(async () => {
  clickhouse = await startClickhouse(binary, join(directory, 'data'), {
    config: {
      'config.d': ['system-logs.xml', 'small-machine.xml'],
      'users.d': ['small-machine-queries.xml'],
    },
  })
}, 60_000)
afterAll(async () => {
  await clickhouse.process.stop()
  rmSync(directory, { recursive: true, force: true })
})

async function query(sql: string): Promise<unknown[]> {
  const client = createClient({ url: clickhouse.url })
  try {
    return await (await client.query({ query: sql, format: 'JSONEachRow' })).json()
  } finally {
    await client.close()
  }
}

// A server from the PATH is started without these files.
test.skipIf(binary.kind === 'server')('the settings for a small machine take effect', async () => {
  const server = await query(
    "SELECT name, value FROM system.server_settings WHERE changed AND name IN ('mark_cache_size', 'max_concurrent_queries', 'background_pool_size') ORDER BY name",
  )
  expect(server).toEqual([
    { name: 'background_pool_size', value: '2' },
    { name: 'mark_cache_size', value: '67108864' },
    { name: 'max_concurrent_queries', value: '50' },
  ])
  const queries = await query(
    "SELECT name, value FROM system.settings WHERE changed AND name IN ('max_threads', 'max_memory_usage') ORDER BY name",
  )
  expect(queries).toEqual([
    { name: 'max_memory_usage', value: '536870912' },
    { name: 'max_threads', value: '2' },
  ])
})

test.skipIf(binary.kind === 'server')('only the logs that explain a failure are kept', async () => {
  await query('SELECT 1')
  const tables = await query(
    "SELECT name FROM system.tables WHERE database = 'system' AND name LIKE '%\\\\_log' ORDER BY name",
  )
  const allowed = ['crash_log', 'error_log', 'part_log', 'query_log']
  expect((tables as { name: string }[]).map(({ name }) => name).filter((name) => !allowed.includes(name))).toEqual([])
})

test.skipIf(binary.kind === 'server')('a client without the password can read nothing', async () => {
  const { host } = new URL(clickhouse.url)
  const response = await fetch(
    `http://${host}/?query=${encodeURIComponent("SELECT * FROM file('/etc/passwd', LineAsString)")}`,
  )
  expect(await response.text()).toMatch(/^Code: 497\. .*Not enough privileges/)
})
