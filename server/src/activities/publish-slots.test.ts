import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SemaphoreFullError } from '../platform/semaphore.ts'
import { PublishSlots } from './publish-slots.ts'

const limits = {
  maxConcurrent: 2,
  maxConcurrentPerProject: 1,
  maxConcurrentSlow: 1,
  slowAfterMs: 30,
  maxWaiting: 3,
  maxWaitingPerProject: 1,
  waitTimeoutMs: 1_000,
}

// On a busy machine, a millisecond of real time can be longer than `slowAfterMs`.
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())
const sleep = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** Results that are published until the test ends them. */
function startResults(slots: PublishSlots) {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const publish = (projectId: string, host: string): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    ends.set(projectId, resolve)
    return slots.run({ projectId, host }, () => {
      started.push(projectId)
      return promise
    })
  }
  return { started, publish, end: (projectId: string) => ends.get(projectId)?.() }
}

test('a project uses its part of the slots, and does not delay the next project', async () => {
  const slots = new PublishSlots({ ...limits, slowAfterMs: 10_000 })
  const { started, publish, end } = startResults(slots)
  void publish('a', 'host')
  void publish('a', 'host')
  await expect(publish('a', 'host')).rejects.toThrow(SemaphoreFullError)
  void publish('b', 'host')
  await sleep(1)
  expect(started).toEqual(['a', 'b'])
  end('b')
  await sleep(1)
  expect(started).toEqual(['a', 'b'])
})

test('slow code hosts give up their slots, and then share one among themselves', async () => {
  const { started, publish, end } = startResults(new PublishSlots(limits))
  void publish('slow 1', 'slow host')
  void publish('slow 2', 'slow host')
  void publish('quick 1', 'quick host')
  await sleep(1)
  expect(started).toEqual(['slow 1', 'slow 2'])
  await sleep(40)
  expect(started).toEqual(['slow 1', 'slow 2', 'quick 1']) // the slot of the one that is slow
  end('slow 2')
  void publish('slow 3', 'slow host')
  void publish('quick 2', 'quick host')
  await sleep(1)
  expect(started).toEqual(['slow 1', 'slow 2', 'quick 1', 'quick 2'])
  end('slow 1')
  await sleep(1)
  expect(started.at(-1)).toBe('slow 3')
  end('slow 3') // quickly, so that the host is no longer slow
  await sleep(1)
  end('quick 1')
  await sleep(1)
  void publish('slow 4', 'slow host')
  void publish('slow 5', 'third host')
  await sleep(1)
  expect(started.at(-1)).toBe('slow 4')
})

test('rejects a result when too many are waiting, or when it has waited too long', async () => {
  const { publish } = startResults(new PublishSlots({ ...limits, slowAfterMs: 10_000, waitTimeoutMs: 20 }))
  void publish('a', 'host')
  void publish('b', 'host')
  const waiting = ['c', 'd', 'e'].map((project) => publish(project, 'host'))
  await expect(publish('f', 'host')).rejects.toThrow(SemaphoreFullError)
  const settled = Promise.allSettled(waiting)
  await sleep(20)
  for (const result of await settled) expect(result).toMatchObject({ status: 'rejected' })
})
