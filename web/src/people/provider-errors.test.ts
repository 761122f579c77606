import { expect, test } from 'vitest'
import { wordsForProviderError } from './provider-errors.ts'

test('a code that is not known is told; what somebody wrote into the address is not', () => {
  expect(wordsForProviderError('not_invited')).toContain('Nobody has invited')
  expect(wordsForProviderError('access_denied')).toContain('let you in: access denied.')
  for (const written of ['Call 555-0100 to unlock', 'a'.repeat(41)])
    expect(wordsForProviderError(written)).toContain('let you in. Try again')
})
