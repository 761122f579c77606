import { expect, test } from 'vitest'
import { describeProviderSignInError } from './provider-errors.ts'

test('shows unknown error codes, but no other text from the URL', () => {
  expect(describeProviderSignInError('not_invited')).toContain('has not been invited')
  expect(describeProviderSignInError('access_denied')).toContain('failed: access denied.')
  for (const text of ['Call 555-0100 to unlock', 'a'.repeat(41)])
    expect(describeProviderSignInError(text)).toContain('failed. Try again')
})
