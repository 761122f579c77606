import type {
  ChangePasswordData,
  ConfirmAuthenticatorData,
  CreateAuthenticatorData,
  CreateAuthenticatorResponse,
  CreateFirstOwnerData,
  CreateRecoveryCodesData,
  CreateRecoveryCodesResponse,
  EndOtherSessionsData,
  EndSessionData,
  ListSessionsResponse,
  RemoveAuthenticatorData,
  ResetPasswordData,
  Session,
  SignInData,
  StartProviderSignInData,
  StartProviderSignInResponse,
  VerifySecondFactorData,
} from './generated/types.gen.ts'
import type { OperationCaller } from './operation.ts'
import type { CallOptions } from './request.ts'

export type SessionCalls = ReturnType<typeof createSessionCalls>

/** For the dashboard: the session is a cookie that scripts cannot read. */
export const createSessionCalls = (call: OperationCaller) => ({
  /** The signed-in person, if any, and the available ways to sign in. */
  get: (options?: CallOptions) => call<{ url: '/v2/session' }, Session>('GET', { url: '/v2/session' }, options),

  /** Replaces an existing session. */
  signIn: (body: SignInData['body'], options?: CallOptions) =>
    call<SignInData, Session>('POST', { url: '/v2/session', body }, options),

  /** The second step of signing in, after a session with `needsSecondFactor`. */
  verifySecondFactor: (body: VerifySecondFactorData['body'], options?: CallOptions) =>
    call<VerifySecondFactorData, Session>('POST', { url: '/v2/session/second-factor', body }, options),

  /** Has no effect until `confirmAuthenticator`. */
  createAuthenticator: (body: CreateAuthenticatorData['body'], options?: CallOptions) =>
    call<CreateAuthenticatorData, CreateAuthenticatorResponse>(
      'POST',
      { url: '/v2/session/authenticator', body },
      options,
    ),

  confirmAuthenticator: (body: ConfirmAuthenticatorData['body'], options?: CallOptions) =>
    call<ConfirmAuthenticatorData, Session>('POST', { url: '/v2/session/authenticator/confirm', body }, options),

  removeAuthenticator: (body: RemoveAuthenticatorData['body'], options?: CallOptions) =>
    call<RemoveAuthenticatorData, Session>('POST', { url: '/v2/session/authenticator/remove', body }, options),

  /** The previous recovery codes stop working. */
  createRecoveryCodes: (body: CreateRecoveryCodesData['body'], options?: CallOptions) =>
    call<CreateRecoveryCodesData, CreateRecoveryCodesResponse>(
      'POST',
      { url: '/v2/session/recovery-codes', body },
      options,
    ),

  /** The session has ended on every replica when this returns. */
  signOut: (options?: CallOptions) => call<{ url: '/v2/session' }, Session>('DELETE', { url: '/v2/session' }, options),

  endOthers: (options?: CallOptions) =>
    call<EndOtherSessionsData, Session>('DELETE', { url: '/v2/sessions', query: { except: 'current' } }, options),

  /** The sessions of the signed-in person, the last used one first. */
  list: (options?: CallOptions) =>
    call<{ url: '/v2/sessions' }, ListSessionsResponse>('GET', { url: '/v2/sessions' }, options),

  /** Returns the sessions that are left. */
  end: (sessionId: string, options?: CallOptions) =>
    call<EndSessionData, ListSessionsResponse>(
      'DELETE',
      { url: '/v2/sessions/{sessionId}', path: { sessionId } },
      options,
    ),

  dismissFailedSignIns: (options?: CallOptions) =>
    call<{ url: '/v2/session/failed-sign-ins' }, Session>('DELETE', { url: '/v2/session/failed-sign-ins' }, options),

  /** Afterwards, navigate the browser to `url`. */
  startProviderSignIn: (body: StartProviderSignInData['body'], options?: CallOptions) =>
    call<StartProviderSignInData, StartProviderSignInResponse>('POST', { url: '/v2/session/provider', body }, options),

  /** Uses the token of the one-time link that `api` logs at startup while the instance has no operator. */
  createFirstOwner: (body: CreateFirstOwnerData['body'], options?: CallOptions) =>
    call<CreateFirstOwnerData, Session>('POST', { url: '/v2/setup/owner', body }, options),

  changePassword: (body: ChangePasswordData['body'], options?: CallOptions) =>
    call<ChangePasswordData, Session>('PATCH', { url: '/v2/session/password', body }, options),

  /** Uses the token of a one-time link that an operator created. */
  resetPassword: (body: ResetPasswordData['body'], options?: CallOptions) =>
    call<ResetPasswordData, Session>('POST', { url: '/v2/password-reset', body }, options),
})
