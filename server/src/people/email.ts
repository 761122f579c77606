import { Problem } from '../platform/http/problem.ts'

/**
 * Not the full grammar of email addresses, most of which is unused in practice: text, an @, text, and no line breaks or
 * delimiters.
 */
export const emailPattern =
  '^[^\\s\\u0000-\\u001f\\u007f-\\u009f@<>",;]{1,64}@[^\\s\\u0000-\\u001f\\u007f-\\u009f@<>",;]{1,189}$'

/** What better-auth accepts at sign-in (`z.email()`). No one could sign in to an account with any other address. */
const signInPattern = /^(?:[a-z0-9_'+-]+\.)*[a-z0-9_'+-]*[a-z0-9_+-]@(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/

/** Returns the address as it is stored. Rejects addresses that no one could sign in with, before anything is written. */
export function normalizeEmail(input: string): string {
  const email = input.toLowerCase()
  if (signInPattern.test(email)) return email
  const message =
    'is not an email address that can sign in: use an address like name@example.com, with unaccented Latin letters'
  throw new Problem('invalid_request', `body/email ${message}.`, { errors: [{ path: 'body/email', message }] })
}
