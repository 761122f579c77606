const words: ReadonlyMap<string, string> = new Map([
  ['not_invited', 'Nobody has invited this address yet. Ask an owner of a project, and come back.'],
  [
    'account_not_linked',
    'There is an account with this address already. Sign in with its password, then link the other account on your account page.',
  ],
])

/**
 * What somebody who comes back from the provider in vain is told. Its codes are an open list, and stand in the address, where
 * anybody can write: what does not look like a code is not repeated on the sign-in page.
 */
export function wordsForProviderError(code: string): string {
  const reason = /^[a-z_]{1,40}$/.test(code) ? `: ${code.replaceAll('_', ' ')}` : ''
  return words.get(code) ?? `The provider did not let you in${reason}. Try again, or sign in with a password.`
}
