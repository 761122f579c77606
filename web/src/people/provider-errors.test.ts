import { expect, test } from 'vitest'
import { providerErrorMessage } from './provider-errors.ts'

test('shows unknown error codes, but no other text from the URL', () => {
  expect(providerErrorMessage('not_invited')).toContain('has not been invited')
  expect(providerErrorMessage('access_denied')).toContain('failed: access denied.')
  for (const text of ['Call 555-0100 to unlock', 'a'.repeat(41)])
    expect(providerErrorMessage(text)).toContain('failed. Try again')
})
