/** Views that are acknowledged and not in ClickHouse yet. */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

export interface Backlog {
  views: number
  /** Age of the oldest batch. */
  ageSeconds: number
}

export async function readBacklog(pool: pg.Pool): Promise<Backlog> {
  const { rows } = await pool.query<Backlog>(
    `SELECT coalesce(sum(rows), 0)::int AS views,
       coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0)::float AS "ageSeconds" FROM view_batch`,
  )
  return rows[0] ?? { views: 0, ageSeconds: 0 }
}

/** Returns how many seconds it took until the backlog was empty. */
export async function waitUntilLoaded(pool: pg.Pool, withinSeconds: number): Promise<number> {
  const startedAt = performance.now()
  const elapsedSeconds = () => (performance.now() - startedAt) / 1000
  while ((await readBacklog(pool)).views > 0) {
    if (elapsedSeconds() > withinSeconds) throw new Error(`the backlog is not empty after ${withinSeconds} s`)
    await sleep(100)
  }
  return elapsedSeconds()
}
