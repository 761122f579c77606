import type {
  AddPasskeyData,
  AddPasskeyResponse,
  ChangePasswordData,
  ConfirmAuthenticatorData,
  CreateAuthenticatorData,
  CreateAuthenticatorResponse,
  CreateFirstOwnerData,
  CreateRecoveryCodesData,
  CreateRecoveryCodesResponse,
  EndOtherSessionsData,
  EndSessionData,
  ListPasskeysResponse,
  ListSessionsResponse,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
  RemoveAuthenticatorData,
  RemovePasskeyData,
  ResetPasswordData,
  Session,
  SignInData,
  SignInWithPasskeyData,
  StartProviderSignInData,
  StartProviderSignInResponse,
  VerifySecondFactorData,
} from './generated/types.gen.ts'
import type { OperationCaller } from './operation.ts'
import type { CallOptions } from './request.ts'

export type SessionCalls = ReturnType<typeof createSessionCalls>

/** For the dashboard: the session is a cookie that scripts cannot read. */
export const createSessionCalls = (call: OperationCaller) => ({
  /**
   * The signed-in person, if any, and the available ways to sign in.
   * @example
   * const { person } = await client.session.get()
   */
  get: (options?: CallOptions) => call<{ url: '/v2/session' }, Session>('GET', { url: '/v2/session' }, options),

  /**
   * Signs in with a password. Replaces an existing session.
   * @example
   * const { needsSecondFactor } = await client.session.signIn({ email: 'kim@example.com', password })
   */
  signIn: (body: SignInData['body'], options?: CallOptions) =>
    call<SignInData, Session>('POST', { url: '/v2/session', body }, options),

  /**
   * The second step of signing in, after a session with `needsSecondFactor`.
   * @example
   * await client.session.verifySecondFactor({ code: '123456' })
   */
  verifySecondFactor: (body: VerifySecondFactorData['body'], options?: CallOptions) =>
    call<VerifySecondFactorData, Session>('POST', { url: '/v2/session/second-factor', body }, options),

  /**
   * Creates the secret for an authenticator app. Has no effect until `confirmAuthenticator`.
   * @example
   * const authenticator = await client.session.createAuthenticator({ password })
   */
  createAuthenticator: (body: CreateAuthenticatorData['body'], options?: CallOptions) =>
    call<CreateAuthenticatorData, CreateAuthenticatorResponse>(
      'POST',
      { url: '/v2/session/authenticator', body },
      options,
    ),

  /**
   * Makes the authenticator app the second factor, with a code that it shows.
   * @example
   * await client.session.confirmAuthenticator({ code: '123456' })
   */
  confirmAuthenticator: (body: ConfirmAuthenticatorData['body'], options?: CallOptions) =>
    call<ConfirmAuthenticatorData, Session>('POST', { url: '/v2/session/authenticator/confirm', body }, options),

  /**
   * Turns the second factor off. The recovery codes stop working.
   * @example
   * await client.session.removeAuthenticator({ password })
   */
  removeAuthenticator: (body: RemoveAuthenticatorData['body'], options?: CallOptions) =>
    call<RemoveAuthenticatorData, Session>('POST', { url: '/v2/session/authenticator/remove', body }, options),

  /**
   * Creates new recovery codes. The previous ones stop working.
   * @example
   * const { recoveryCodes } = await client.session.createRecoveryCodes({ password })
   */
  createRecoveryCodes: (body: CreateRecoveryCodesData['body'], options?: CallOptions) =>
    call<CreateRecoveryCodesData, CreateRecoveryCodesResponse>(
      'POST',
      { url: '/v2/session/recovery-codes', body },
      options,
    ),

  /**
   * Starts a sign-in with a passkey. Returns options for `navigator.credentials.get`.
   * @example
   * const options = await client.session.startPasskeySignIn()
   */
  startPasskeySignIn: (options?: CallOptions) =>
    call<{ url: '/v2/session/passkey/challenge' }, PasskeyRequestOptions>(
      'POST',
      { url: '/v2/session/passkey/challenge' },
      options,
    ),

  /**
   * Signs in with what the passkey signed. Replaces an existing session.
   * @example
   * const session = await client.session.signInWithPasskey(assertion)
   */
  signInWithPasskey: (body: SignInWithPasskeyData['body'], options?: CallOptions) =>
    call<SignInWithPasskeyData, Session>('POST', { url: '/v2/session/passkey', body }, options),

  /**
   * Lists the passkeys of the signed-in person.
   * @example
   * const { passkeys } = await client.session.listPasskeys()
   */
  listPasskeys: (options?: CallOptions) =>
    call<{ url: '/v2/session/passkeys' }, ListPasskeysResponse>('GET', { url: '/v2/session/passkeys' }, options),

  /**
   * Starts adding a passkey. Returns options for `navigator.credentials.create`.
   * @example
   * const options = await client.session.startPasskey()
   */
  startPasskey: (options?: CallOptions) =>
    call<{ url: '/v2/session/passkey-registration/challenge' }, PasskeyCreationOptions>(
      'POST',
      { url: '/v2/session/passkey-registration/challenge' },
      options,
    ),

  /**
   * Adds the passkey that the browser created.
   * @example
   * const { recoveryCodes } = await client.session.addPasskey({ name: 'Laptop', credential: newPasskey })
   */
  addPasskey: (body: AddPasskeyData['body'], options?: CallOptions) =>
    call<AddPasskeyData, AddPasskeyResponse>('POST', { url: '/v2/session/passkeys', body }, options),

  /**
   * Removes a passkey. Returns the passkeys that are left.
   * @example
   * const { passkeys } = await client.session.removePasskey(passkeyId)
   */
  removePasskey: (passkeyId: string, options?: CallOptions) =>
    call<RemovePasskeyData, ListPasskeysResponse>(
      'DELETE',
      { url: '/v2/session/passkeys/{passkeyId}', path: { passkeyId } },
      options,
    ),

  /**
   * Signs out. The session has ended on every replica when this returns.
   * @example
   * await client.session.signOut()
   */
  signOut: (options?: CallOptions) => call<{ url: '/v2/session' }, Session>('DELETE', { url: '/v2/session' }, options),

  /**
   * Ends all sessions of the signed-in person but the current one.
   * @example
   * await client.session.endOthers()
   */
  endOthers: (options?: CallOptions) =>
    call<EndOtherSessionsData, Session>('DELETE', { url: '/v2/sessions', query: { except: 'current' } }, options),

  /**
   * The sessions of the signed-in person, the last used one first.
   * @example
   * const { sessions } = await client.session.list()
   */
  list: (options?: CallOptions) =>
    call<{ url: '/v2/sessions' }, ListSessionsResponse>('GET', { url: '/v2/sessions' }, options),

  /**
   * Ends one session of the signed-in person. Returns those that are left.
   * @example
   * await client.session.end(sessionId)
   */
  end: (sessionId: string, options?: CallOptions) =>
    call<EndSessionData, ListSessionsResponse>(
      'DELETE',
      { url: '/v2/sessions/{sessionId}', path: { sessionId } },
      options,
    ),

  /**
   * Removes the notice about failed sign-ins from the session.
   * @example
   * await client.session.dismissFailedSignIns()
   */
  dismissFailedSignIns: (options?: CallOptions) =>
    call<{ url: '/v2/session/failed-sign-ins' }, Session>('DELETE', { url: '/v2/session/failed-sign-ins' }, options),

  /**
   * Starts a sign-in with the identity provider. Afterwards, navigate the browser to `url`.
   * @example
   * const { url } = await client.session.startProviderSignIn({ purpose: 'sign_in', returnTo: '/' })
   */
  startProviderSignIn: (body: StartProviderSignInData['body'], options?: CallOptions) =>
    call<StartProviderSignInData, StartProviderSignInResponse>('POST', { url: '/v2/session/provider', body }, options),

  /**
   * Creates the first person of the instance. Uses the token of the one-time link that `api` logs at startup while the
   * instance has no operator.
   * @example
   * await client.session.createFirstOwner({ token, name: 'Kim', email: 'kim@example.com', password })
   */
  createFirstOwner: (body: CreateFirstOwnerData['body'], options?: CallOptions) =>
    call<CreateFirstOwnerData, Session>('POST', { url: '/v2/setup/owner', body }, options),

  /**
   * Changes the password of the signed-in person, and ends their other sessions.
   * @example
   * await client.session.changePassword({ currentPassword, newPassword })
   */
  changePassword: (body: ChangePasswordData['body'], options?: CallOptions) =>
    call<ChangePasswordData, Session>('PATCH', { url: '/v2/session/password', body }, options),

  /**
   * Sets a new password. Uses the token of a one-time link that an operator created.
   * @example
   * await client.session.resetPassword({ token, newPassword })
   */
  resetPassword: (body: ResetPasswordData['body'], options?: CallOptions) =>
    call<ResetPasswordData, Session>('POST', { url: '/v2/password-reset', body }, options),
})
