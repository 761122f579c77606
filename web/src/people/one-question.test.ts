import { expect, test } from 'vitest'
import { oneQuestion } from './one-question.ts'

test('two at once are asked once and both answered; later it is asked again', async () => {
  const responses: ((isYes: boolean) => void)[] = []
  const ask = oneQuestion(() => new Promise<boolean>((response) => responses.push(response)))
  const both = [ask(), ask()]
  expect(responses).toHaveLength(1)
  responses[0]?.(true)
  expect(await Promise.all(both)).toEqual([true, true])
  void ask()
  expect(responses).toHaveLength(2)
})
