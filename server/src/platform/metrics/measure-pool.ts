/** Measures how many connections of a pool are in use, and how long callers wait for one. */
import type pg from 'pg'
import type { LabelsOf } from './catalog.ts'
import { observeMetric, sampleBeforeScrapes, setMetric } from './metrics.ts'

export type MeasuredPoolName = LabelsOf<'colophon_database_pool_limit'>['pool']

type ConnectCallback = Parameters<pg.Pool['connect']>[0]

export function measurePool(pool: pg.Pool, name: MeasuredPoolName): void {
  setMetric('colophon_database_pool_limit', { pool: name }, pool.options.max)
  sampleBeforeScrapes(() => {
    const { totalCount, idleCount, waitingCount } = pool
    setMetric('colophon_database_pool_connections', { pool: name, state: 'active' }, totalCount - idleCount)
    setMetric('colophon_database_pool_connections', { pool: name, state: 'idle' }, idleCount)
    setMetric('colophon_database_pool_waiting', { pool: name }, waitingCount)
  })
  const connect = pool.connect.bind(pool)
  const startTimer = () => {
    const startedAtMs = performance.now()
    return () =>
      observeMetric('colophon_database_pool_wait_seconds', { pool: name }, (performance.now() - startedAtMs) / 1000)
  }
  // `query` of the pool uses the callback, everything else the promise.
  pool.connect = ((callback?: ConnectCallback) => {
    const stopTimer = startTimer()
    if (callback)
      return connect((error, client, done) => {
        stopTimer()
        callback(error, client, done)
      })
    return connect().finally(stopTimer)
  }) as pg.Pool['connect']
}
