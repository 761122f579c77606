import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { startOwnPostgres, startOwnStandby } from '../../../../testing/harness/own-postgres.ts'
import { startRelay } from '../../../../testing/harness/relay/relay.ts'
import { createLog } from '../../platform/log.ts'
import { StandbyWait } from './standby-wait.ts'

const stops: (() => Promise<unknown>)[] = []
const cleanUp = (stop: () => Promise<unknown>) => void stops.push(stop)
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop()
})

test('waits for a standby that is behind, and for one that has gone, but not forever', {
  timeout: 120_000,
}, async () => {
  const primary = await startOwnPostgres({ cleanUp })
  const client = new pg.Client({ connectionString: primary.url })
  client.on('error', () => {}) // PostgreSQL may end before the connection is closed
  await client.connect()
  cleanUp(() => client.end())
  const lines: string[] = []
  const log = createLog('test', { level: 'warn' }, { write: (line) => lines.push(line) })
  const standbys = new StandbyWait(client, log, { maxWaitMs: 3_000, ignoreLagForMs: 2_000 })
  const write = () => client.query('CREATE TABLE IF NOT EXISTS change (); INSERT INTO change DEFAULT VALUES')
  const measureWaitMs = async () => {
    await write()
    const startedAt = performance.now()
    await standbys.wait()
    return performance.now() - startedAt
  }
  expect(await measureWaitMs()).toBeLessThan(500)

  const relay = await startRelay(primary.url)
  cleanUp(relay.stop)
  const standby = await startOwnStandby({ cleanUp }, relay.url)
  const isStreaming = async () =>
    (await client.query("SELECT FROM pg_stat_replication WHERE state = 'streaming'")).rowCount === 1
  await expect.poll(isStreaming, { timeout: 30_000 }).toBe(true)
  expect(await measureWaitMs()).toBeLessThan(1_500)
  expect(lines).toEqual([])

  await relay.setFault({ kind: 'hold' })
  expect(await measureWaitMs()).toBeGreaterThan(2_900)
  expect(lines).toHaveLength(1)
  expect(await measureWaitMs()).toBeLessThan(500) // so that one standby that is broken does not slow down every block
  await relay.setFault({ kind: 'none' })

  await sleep(2_000)
  expect(await measureWaitMs()).toBeLessThan(1_500)
  await standby.process.kill()
  expect(await measureWaitMs()).toBeGreaterThan(2_000)
  expect(await measureWaitMs()).toBeLessThan(500)
})
