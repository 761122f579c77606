import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { KeyedMutex } from './keyed-mutex.ts'

test('runs work of one key one at a time and in order, even after a failure, and does not block other keys', async () => {
  const mutex = new KeyedMutex<string>()
  const events: string[] = []
  const waited: string[] = []
  const work = (name: string, milliseconds: number) => async (hadToWait: boolean) => {
    if (hadToWait) waited.push(name)
    events.push(`${name} starts`)
    await sleep(milliseconds)
    events.push(`${name} ends`)
    if (name === 'second') throw new Error(name)
    return name
  }
  const outcomes = await Promise.allSettled([
    mutex.run('a', work('first', 30)),
    mutex.run('a', work('second', 10)),
    mutex.run('a', work('third', 0)),
    mutex.run('b', work('other', 5)),
  ])
  expect(events.filter((line) => !line.startsWith('other'))).toEqual(
    ['first', 'second', 'third'].flatMap((name) => [`${name} starts`, `${name} ends`]),
  )
  expect(events.indexOf('other ends')).toBeLessThan(events.indexOf('first ends'))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
  expect(await mutex.run('a', work('later', 0))).toBe('later')
  expect(waited).toEqual(['second', 'third'])
})
