import type {
  ChangePasswordData,
  CreateFirstOwnerData,
  EndOtherSessionsData,
  ResetPasswordData,
  Session,
  SignInData,
  StartProviderSignInData,
  StartProviderSignInResponse,
} from './generated/types.gen.ts'
import type { CallOperation } from './operation.ts'
import type { CallOptions } from './request.ts'

export type SessionCalls = ReturnType<typeof session>

/** For the dashboard, in a browser: the session is a cookie that scripts cannot read. */
export const session = (call: CallOperation) => ({
  /** Who is signed in, and how one can. */
  get: (options?: CallOptions) => call<{ url: '/v2/session' }, Session>('GET', { url: '/v2/session' }, options),

  /** A session that was there before ends. */
  signIn: (body: SignInData['body'], options?: CallOptions) =>
    call<SignInData, Session>('POST', { url: '/v2/session', body }, options),

  /** The session has ended when this answers, everywhere. */
  signOut: (options?: CallOptions) => call<{ url: '/v2/session' }, Session>('DELETE', { url: '/v2/session' }, options),

  endOthers: (options?: CallOptions) =>
    call<EndOtherSessionsData, Session>('DELETE', { url: '/v2/sessions', query: { except: 'current' } }, options),

  /** The browser is to go to `url`. */
  startProviderSignIn: (body: StartProviderSignInData['body'], options?: CallOptions) =>
    call<StartProviderSignInData, StartProviderSignInResponse>('POST', { url: '/v2/session/provider', body }, options),

  /** With the token that `api` prints at its start as long as there is nobody. */
  createFirstOwner: (body: CreateFirstOwnerData['body'], options?: CallOptions) =>
    call<CreateFirstOwnerData, Session>('POST', { url: '/v2/setup/owner', body }, options),

  changePassword: (body: ChangePasswordData['body'], options?: CallOptions) =>
    call<ChangePasswordData, Session>('PATCH', { url: '/v2/session/password', body }, options),

  /** With a link that the operator made. */
  resetPassword: (body: ResetPasswordData['body'], options?: CallOptions) =>
    call<ResetPasswordData, Session>('POST', { url: '/v2/password-reset', body }, options),
})
