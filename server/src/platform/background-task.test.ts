import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { startBackgroundTask } from './background-task.ts'
import { createLog } from './log.ts'

const log = createLog('test', { level: 'error' })

test('repeats, logs a failed round once, and goes on', async () => {
  const warn = vi.spyOn(log, 'warn')
  let rounds = 0
  const task = startBackgroundTask({
    async round() {
      rounds += 1
      if (rounds === 2) throw new Error('no connection')
    },
    intervalMs: 1,
    failureMessage: 'round failed',
    log,
  })
  await vi.waitFor(() => expect(rounds).toBeGreaterThan(3), 30_000)
  await task.stop()
  const roundsAtStop = rounds
  await sleep(10)
  expect(rounds).toBe(roundsAtStop)
  expect(warn.mock.calls).toEqual([[{ error: 'Error: no connection' }, 'round failed']])
})

test('can repeat a failed round earlier', async () => {
  let rounds = 0
  const task = startBackgroundTask({
    async round() {
      rounds += 1
      if (rounds < 3) throw new Error('no connection')
    },
    intervalMs: 3_600_000,
    retryIntervalMs: 1,
    failureMessage: 'round failed',
    log,
  })
  await vi.waitFor(() => expect(rounds).toBe(3), 30_000)
  await sleep(10)
  await task.stop()
  expect(rounds).toBe(3)
})

test('stops between rounds at once, and waits for the current round', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let hasEnded = false
  const task = startBackgroundTask({
    async round(stopping) {
      stopping.addEventListener('abort', () => resolve())
      await promise
      hasEnded = true
    },
    intervalMs: 3_600_000,
    failureMessage: 'round failed',
    log,
  })
  await task.stop()
  expect(hasEnded).toBe(true)
})
