import { expect, test } from 'vitest'
import { fewAtOnce } from './few-at-once.ts'

const going = new AbortController().signal

test('the third waits for one of two, also for one that fails', async () => {
  const inTurn = fewAtOnce(2)
  const first = Promise.withResolvers<void>()
  const second = Promise.withResolvers<void>()
  const begun: string[] = []
  const work = (name: string, until: Promise<void>) => async () => {
    begun.push(name)
    await until
  }
  const ok = [
    inTurn(going, work('first', first.promise)),
    inTurn(going, work('second', second.promise)),
    inTurn(going, work('third', Promise.resolve())),
  ]
  expect(begun).toEqual(['first', 'second'])
  first.reject(new Error('as it happens'))
  await expect(ok[0]).rejects.toThrow('as it happens')
  await ok[2]
  expect(begun).toEqual(['first', 'second', 'third'])
  second.resolve()
  await ok[1]
})

test('who was stopped while waiting does not begin, and leaves the place to the next', async () => {
  const inTurn = fewAtOnce(1)
  const first = Promise.withResolvers<void>()
  const working = inTurn(going, () => first.promise)
  const stopping = new AbortController()
  const stopped = inTurn(stopping.signal, () => expect.unreachable('it was stopped'))
  const next = inTurn(going, async () => 'done')
  stopping.abort(new Error('taken over'))
  first.resolve()
  await working
  await expect(stopped).rejects.toThrow('taken over')
  expect(await next).toBe('done')
})
