import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Semaphore, SemaphoreFullError, SharedSemaphore } from './semaphore.ts'

function createWork() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { run: () => promise, end: resolve }
}

test('runs at most so much at a time, in order, and passes on the slot of failed work', async () => {
  const semaphore = new Semaphore({ maxConcurrent: 2 })
  const started: number[] = []
  const works = [0, 1, 2, 3].map((number) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const ended = semaphore.run(() => {
      started.push(number)
      return promise
    })
    ended.catch(() => {})
    return { ended, resolve, reject }
  })
  await sleep(1)
  expect(started).toEqual([0, 1])
  works[1]?.reject(new Error('failed'))
  await sleep(1)
  expect(started).toEqual([0, 1, 2])
  works[0]?.resolve()
  works[2]?.resolve()
  works[3]?.resolve()
  const results = await Promise.allSettled(works.map(({ ended }) => ended))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
})

test('rejects work when too much is waiting', async () => {
  const semaphore = new Semaphore({ maxConcurrent: 1, maxWaiting: 1 })
  const first = createWork()
  const running = semaphore.run(first.run)
  const waiting = semaphore.run(async () => 'done')
  await expect(semaphore.run(async () => {})).rejects.toThrow(SemaphoreFullError)
  first.end()
  await running
  await expect(waiting).resolves.toBe('done')
})

test('rejects work that has waited too long, and does not run it later', async () => {
  const semaphore = new Semaphore({ maxConcurrent: 1, waitTimeoutMs: 10 })
  const first = createWork()
  const running = semaphore.run(first.run)
  let hasRun = false
  const waiting = semaphore.run(async () => {
    hasRun = true
  })
  await expect(waiting).rejects.toThrow(SemaphoreFullError)
  first.end()
  await running
  await semaphore.run(async () => {})
  expect(hasRun).toBe(false)
})

test('one key cannot take the slots of all others, and a rejected key loses no slot', async () => {
  const semaphore = new SharedSemaphore<string>({
    all: { maxConcurrent: 3, maxWaiting: 0 },
    perKey: { maxConcurrent: 2, maxWaiting: 0 },
  })
  await semaphore.acquire('a')
  await semaphore.acquire('a')
  await expect(semaphore.acquire('a')).rejects.toThrow(SemaphoreFullError)
  await semaphore.acquire('b')
  await expect(semaphore.acquire('b')).rejects.toThrow(SemaphoreFullError)
  semaphore.release('a')
  await semaphore.acquire('b')
  await expect(semaphore.acquire('c')).rejects.toThrow(SemaphoreFullError)
})
