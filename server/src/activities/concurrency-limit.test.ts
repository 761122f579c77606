import { expect, test } from 'vitest'
import { createConcurrencyLimit } from './concurrency-limit.ts'

const notAborted = new AbortController().signal

test('starts the third only when one of two has ended, even with a failure', async () => {
  const withinLimit = createConcurrencyLimit(2)
  const first = Promise.withResolvers<void>()
  const second = Promise.withResolvers<void>()
  const started: string[] = []
  const work = (name: string, until: Promise<void>) => async () => {
    started.push(name)
    await until
  }
  const runs = [
    withinLimit(notAborted, work('first', first.promise)),
    withinLimit(notAborted, work('second', second.promise)),
    withinLimit(notAborted, work('third', Promise.resolve())),
  ]
  expect(started).toEqual(['first', 'second'])
  first.reject(new Error('failed'))
  await expect(runs[0]).rejects.toThrow('failed')
  await runs[2]
  expect(started).toEqual(['first', 'second', 'third'])
  second.resolve()
  await runs[1]
})

test('does not start work that is aborted while it waits, and passes its slot on', async () => {
  const withinLimit = createConcurrencyLimit(1)
  const first = Promise.withResolvers<void>()
  const running = withinLimit(notAborted, () => first.promise)
  const controller = new AbortController()
  const aborted = withinLimit(controller.signal, () => expect.unreachable('it was aborted'))
  const next = withinLimit(notAborted, async () => 'done')
  controller.abort(new Error('lease lost'))
  first.resolve()
  await running
  await expect(aborted).rejects.toThrow('lease lost')
  expect(await next).toBe('done')
})
