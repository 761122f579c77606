import { Problem } from '../platform/http/problem.ts'

/** Not the whole grammar of addresses, which nobody uses: something, an @, something, and nothing that breaks a line. */
export const emailPattern =
  '^[^\\s\\u0000-\\u001f\\u007f-\\u009f@<>",;]{1,64}@[^\\s\\u0000-\\u001f\\u007f-\\u009f@<>",;]{1,189}$'

/** What better-auth takes at sign-in (`z.email()`): an account with another address could never be signed in to. */
const canSignIn = /^(?:[a-z0-9_'+-]+\.)*[a-z0-9_'+-]*[a-z0-9_+-]@(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/

/** In the form in which addresses are kept. Refuses those with which nobody could sign in, before anything is written. */
export function readEmail(given: string): string {
  const email = given.toLowerCase()
  if (canSignIn.test(email)) return email
  const message =
    'is not an address that can sign in here: it has to look like name@example.com, in plain Latin letters'
  throw new Problem('invalid_request', `body/email ${message}.`, { errors: [{ path: 'body/email', message }] })
}
