import { expect, test } from 'vitest'
import { describeNextTurn } from './describe-next-turn.ts'

test.each([
  ['active', null, /after the current turn/],
  ['completed', 'pull_request', /continues the conversation.*added to it/],
  ['completed', 'awaiting_approval', /continues from the result that awaits approval.*replaces/],
  ['completed', 'rejected', /without the rejected changes/],
  ['failed', 'cancelled', /without the changes of the cancelled turn/],
  ['failed', 'error', /without the changes of the failed turn/],
] as const)('after %s with the outcome %s', (status, outcome, text) =>
  expect(describeNextTurn({ status, outcome })).toMatch(text),
)
