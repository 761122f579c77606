import { expect, onTestFinished, test } from 'vitest'
import { openOwnPool, startOwnPostgres } from '../own-postgres.ts'
import { canSlowDisk, startSlowDisk } from './slow-disk.ts'

const cleanUp = (stop: () => Promise<unknown>) => onTestFinished(async () => void (await stop()))

test('commits of PostgreSQL take long on a slow disk, and reading does not', async ({ skip }) => {
  skip(!canSlowDisk('/tmp'), 'needs root and the blkio controller of cgroup v1')
  const postgres = await startOwnPostgres({ cleanUp })
  const pool = openOwnPool(postgres)
  cleanUp(() => pool.end())
  await pool.query('CREATE TABLE page (body text)')
  const medianMs = async (sql: string) => {
    const times: number[] = []
    for (let index = 0; index < 9; index++) {
      const startedAtMs = performance.now()
      await pool.query(sql)
      times.push(performance.now() - startedAtMs)
    }
    return times.sort((a, b) => a - b)[4] ?? 0
  }
  const commit = "INSERT INTO page VALUES (repeat('x', 1000))"
  const usualMs = await medianMs(commit)
  const slow = await startSlowDisk(postgres.process, { directory: postgres.directory, writesPerSecond: 10 })
  cleanUp(slow.stop)
  const slowMs = await medianMs(commit)
  const readMs = await medianMs('SELECT count(*) FROM page')
  await slow.stop()
  const afterwardsMs = await medianMs(commit)
  expect(slowMs).toBeGreaterThan(50)
  expect(slowMs).toBeGreaterThan(5 * Math.max(usualMs, readMs, afterwardsMs))
})
