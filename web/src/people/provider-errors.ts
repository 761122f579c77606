const messages: ReadonlyMap<string, string> = new Map([
  ['not_invited', 'This email address has not been invited yet. Ask an owner of a project to invite you.'],
  ['account_disabled', 'Your account is disabled. Ask an operator of this instance to enable it.'],
  [
    'email_domain_not_allowed',
    'The domain of your email address is not allowed here. Sign in with another account at the provider, or ask an operator.',
  ],
  [
    'second_factor_missing',
    'This instance requires a second factor at the provider. Set one up there, sign out of the provider, and sign in again.',
  ],
  [
    'account_not_linked',
    'An account with this email address already exists. Sign in with its password, then link the provider on your account page.',
  ],
])

/**
 * Describes why signing in with the provider failed. The list of codes is open, and they come from the URL, which anyone can
 * write: text that does not look like a code is not shown on the sign-in page.
 */
export function describeProviderSignInError(code: string): string {
  const reason = /^[a-z_]{1,40}$/.test(code) ? `: ${code.replaceAll('_', ' ')}` : ''
  return messages.get(code) ?? `Sign-in with the provider failed${reason}. Try again, or sign in with a password.`
}
