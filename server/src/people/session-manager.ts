/** Sessions of people. Each request reads the session from PostgreSQL, so that a session that is ended is invalid everywhere. */
import { APIError } from 'better-auth/api'
import type { OidcConfig } from '../platform/config.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'
import { type AuthDeps, accountDisabledCode, type BetterAuth, createBetterAuth, oidcProviderId } from './better-auth.ts'
import { deleteOneTimeLinks } from './person-store.ts'
import type { LiveSession } from './session.ts'

/** The cookies to set in the browser. */
export interface SetCookieHeaders {
  setCookie: string[]
}

export class SessionManager {
  readonly #auth: BetterAuth
  readonly #deps: AuthDeps
  readonly #oidc: OidcConfig | undefined
  #authWithProvider: Promise<BetterAuth> | undefined

  constructor(deps: AuthDeps, oidc: OidcConfig | undefined) {
    this.#auth = createBetterAuth(deps)
    this.#deps = deps
    this.#oidc = oidc
  }

  get providers(): { id: string; name: string }[] {
    return this.#oidc ? [{ id: oidcProviderId, name: this.#oidc.name }] : []
  }

  async find(cookie: string): Promise<LiveSession | undefined> {
    const response = await this.#auth.api.getSession({ headers: new Headers({ cookie }) })
    if (!response) return undefined
    const { session, user } = response
    if (user.disabledAt) return undefined // a sign-in at the moment of disabling may have created a session
    return {
      id: session.id as Id<'ses'>,
      person: { id: user.id as Id<'per'>, email: user.email, name: user.name, isOperator: user.isOperator === true },
      createdAt: session.createdAt,
      expiresAt: session.expiresAt,
    }
  }

  /** Ends the previous session of the browser, if there is one, so that signing in again does not leave two sessions. */
  async signIn(email: string, password: string, cookie: string): Promise<SetCookieHeaders> {
    const { headers } = await withProblems(
      this.#auth.api.signInEmail({ body: { email, password }, headers: new Headers(), returnHeaders: true }),
    )
    await this.signOut(cookie)
    return cookiesOf(headers)
  }

  async signOut(cookie: string): Promise<SetCookieHeaders> {
    const { headers } = await this.#auth.api.signOut({ headers: new Headers({ cookie }), returnHeaders: true })
    return cookiesOf(headers)
  }

  /** Ends all sessions of the person except the current one. */
  async endOthers(cookie: string): Promise<void> {
    await this.#auth.api.revokeOtherSessions({ headers: new Headers({ cookie }) })
  }

  /** Also ends all other sessions of the person and invalidates their links for setting a password. */
  async changePassword(cookie: string, currentPassword: string, newPassword: string): Promise<SetCookieHeaders> {
    const body = { currentPassword, newPassword, revokeOtherSessions: true }
    const { headers, response } = await withProblems(
      this.#auth.api.changePassword({ body, headers: new Headers({ cookie }), returnHeaders: true }),
    )
    await deleteOneTimeLinks(this.#deps.db, response.user.id as Id<'per'>)
    return cookiesOf(headers)
  }

  /** Returns where to send the browser. `link`: lets the signed-in person also sign in with the account at the provider. */
  async startProviderSignIn(
    purpose: 'sign_in' | 'link',
    returnTo: string,
    cookie: string,
  ): Promise<SetCookieHeaders & { url: string }> {
    const { api } = await this.#loadProvider()
    const body = {
      provider: oidcProviderId,
      callbackURL: returnTo,
      errorCallbackURL: '/sign-in',
      disableRedirect: true,
    }
    const call = { body, headers: new Headers({ cookie }), returnHeaders: true } as const
    const { headers, response } = await withProblems(
      purpose === 'link' ? api.linkSocialAccount(call) : api.signInSocial(call),
    )
    if (!response.url) throw providerUnavailable()
    return { url: response.url, ...cookiesOf(headers) }
  }

  /** Handles the request with which the browser comes back from the provider. */
  async handleProviderCallback(request: Request): Promise<Response> {
    return withTimeout((await this.#loadProvider()).handler(request))
  }

  /**
   * Runs OpenID discovery when the provider is first needed, and again after a failure: the provider may be unavailable when
   * Colophon starts.
   */
  async #loadProvider(): Promise<BetterAuth> {
    if (!this.#oidc)
      throw new Problem(
        'not_found',
        'This instance has no OpenID provider. Sign in with your email address and password.',
      )
    this.#authWithProvider ??= Promise.resolve(createBetterAuth(this.#deps, this.#oidc))
    const auth = await this.#authWithProvider
    try {
      const { socialProviders } = await withTimeout(auth.$context)
      if (socialProviders.length > 0) return auth
    } catch (error) {
      this.#authWithProvider = undefined // otherwise the next sign-in would get the same error
      throw error
    }
    this.#authWithProvider = undefined
    throw providerUnavailable()
  }
}

const providerTimeoutMs = 10_000 // the library, and with it the browser, would wait for five minutes

async function withTimeout<Result>(work: Promise<Result>): Promise<Result> {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(providerUnavailable()), providerTimeoutMs)
  try {
    return await Promise.race([work, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}

const providerUnavailable = () =>
  new Problem('unavailable', 'The OpenID provider does not respond. Try again in a few seconds.', {
    headers: { 'retry-after': '5' },
  })

const cookiesOf = (headers: Headers): SetCookieHeaders => ({ setCookie: headers.getSetCookie() })

/** Turns errors of better-auth into problems. */
async function withProblems<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call
  } catch (error) {
    if (!(error instanceof APIError)) throw error
    const code = String(error.body?.code ?? '')
    if (code === 'INVALID_EMAIL_OR_PASSWORD' || code === 'INVALID_EMAIL')
      throw new Problem('unauthenticated', 'The email address or the password is wrong.')
    if (code === accountDisabledCode)
      throw new Problem('unauthenticated', 'Your account is disabled. Ask an operator of this instance to enable it.')
    if (code === 'INVALID_PASSWORD') throw new Problem('invalid_request', 'The current password is wrong.')
    if (error.statusCode === 401) throw new Problem('unauthenticated', 'Sign in first.')
    if (error.statusCode >= 500) throw error
    throw new Problem('invalid_request', `${error.body?.message ?? 'The request was rejected'}.`.replace(/\.\.$/, '.'))
  }
}
