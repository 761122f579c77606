import { afterAll, expect, inject, test, vi } from 'vitest'
import { createTestInstance } from '../../../testing/harness/test-instance.ts'
import { TurnStore } from '../jobs/turn-store.ts'
import { createLog } from '../platform/log.ts'
import { startJobDispatcher } from './job-dispatcher.ts'

const instance = await createTestInstance(inject('services'), 'dispatcher')
afterAll(() => instance.drop())

test('does not look for expired jobs in every round', async () => {
  let expiryQueries = 0
  let rounds = 0
  const database = instance.database.withPlugin({
    transformQuery({ node }) {
      const text = JSON.stringify(node)
      if (text.includes('job_retention_days')) expiryQueries++
      if (text.includes('idempotency')) rounds++
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const rejectSignal = () => Promise.reject(new Error('there are no jobs to signal'))
  const dispatcher = startJobDispatcher({
    turns: new TurnStore(database),
    attempts: instance.stores.attempts,
    events: instance.stores.events,
    database,
    deleteExpired: async () => {},
    signals: { startJob: rejectSignal, wakeJob: rejectSignal, stopJob: rejectSignal, restartJob: rejectSignal },
    settings: { stallSeconds: 0, heartbeatTimeoutSeconds: 30, publishTimeoutSeconds: 3600, idleArchiveDays: 30 },
    log: createLog('test', { level: 'error' }),
  })
  await vi.waitFor(() => expect(rounds).toBeGreaterThan(2), 30_000)
  await dispatcher.stop()
  expect(expiryQueries).toBe(1)
})
