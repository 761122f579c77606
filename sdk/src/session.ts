import type {
  ChangePasswordData,
  MakeFirstOwnerData,
  Session,
  SetPasswordData,
  SignInData,
  StartProviderData,
  StartProviderResponse,
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
    call<{ url: '/v2/session/others' }, Session>('DELETE', { url: '/v2/session/others' }, options),

  /** The browser is to go to `url`. */
  startProvider: (body: StartProviderData['body'], options?: CallOptions) =>
    call<StartProviderData, StartProviderResponse>('POST', { url: '/v2/session/provider', body }, options),

  /** With the token that `api` prints at its start as long as there is nobody. */
  makeFirstOwner: (body: MakeFirstOwnerData['body'], options?: CallOptions) =>
    call<MakeFirstOwnerData, Session>('POST', { url: '/v2/owner', body }, options),

  changePassword: (body: ChangePasswordData['body'], options?: CallOptions) =>
    call<ChangePasswordData, Session>('PATCH', { url: '/v2/session/password', body }, options),

  /** With a link that the operator made. */
  setPassword: (body: SetPasswordData['body'], options?: CallOptions) =>
    call<SetPasswordData, Session>('POST', { url: '/v2/session/password', body }, options),
})
