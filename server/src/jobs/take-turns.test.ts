import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { TakeTurns } from './take-turns.ts'

test('one at a time and in order, also behind one that fails; other keys do not wait', async () => {
  const turns = new TakeTurns<string>()
  const happened: string[] = []
  const waited: string[] = []
  const work = (name: string, milliseconds: number) => async (hadToWait: boolean) => {
    if (hadToWait) waited.push(name)
    happened.push(`${name} begins`)
    await sleep(milliseconds)
    happened.push(`${name} ends`)
    if (name === 'second') throw new Error(name)
    return name
  }
  const outcomes = await Promise.allSettled([
    turns.run('a', work('first', 30)),
    turns.run('a', work('second', 10)),
    turns.run('a', work('third', 0)),
    turns.run('b', work('other', 5)),
  ])
  expect(happened.filter((line) => !line.startsWith('other'))).toEqual(
    ['first', 'second', 'third'].flatMap((name) => [`${name} begins`, `${name} ends`]),
  )
  expect(happened.indexOf('other ends')).toBeLessThan(happened.indexOf('first ends'))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
  expect(await turns.run('a', work('later', 0))).toBe('later')
  expect(waited).toEqual(['second', 'third'])
})
