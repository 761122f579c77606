import { expect, test } from 'vitest'
import { oneQuestion } from './one-question.ts'

test('two at once are asked once and both answered; later it is asked again', async () => {
  const answers: ((isYes: boolean) => void)[] = []
  const ask = oneQuestion(() => new Promise<boolean>((answer) => answers.push(answer)))
  const both = [ask(), ask()]
  expect(answers).toHaveLength(1)
  answers[0]?.(true)
  expect(await Promise.all(both)).toEqual([true, true])
  void ask()
  expect(answers).toHaveLength(2)
})
