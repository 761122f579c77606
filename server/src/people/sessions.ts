/** Sessions of people: asked at every request, of PostgreSQL itself, so that one that was ended has ended everywhere. */
import { APIError } from 'better-auth/api'
import type { OidcConfig } from '../platform/config.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'
import { type Auth, type AuthDeps, createAuth, providerId } from './auth.ts'
import { forgetLinks } from './person-store.ts'
import type { LiveSession } from './session.ts'

/** What a browser is to keep from now on. */
export interface Cookies {
  setCookie: string[]
}

export class Sessions {
  readonly #auth: Auth
  readonly #deps: AuthDeps
  readonly #oidc: OidcConfig | undefined
  #withProvider: Promise<Auth> | undefined

  constructor(deps: AuthDeps, oidc: OidcConfig | undefined) {
    this.#auth = createAuth(deps)
    this.#deps = deps
    this.#oidc = oidc
  }

  get providers(): { id: string; name: string }[] {
    return this.#oidc ? [{ id: providerId, name: this.#oidc.name }] : []
  }

  async find(cookie: string): Promise<LiveSession | undefined> {
    const found = await this.#auth.api.getSession({ headers: new Headers({ cookie }) })
    if (!found) return undefined
    const { session, user } = found
    return {
      id: session.id as Id<'ses'>,
      person: { id: user.id as Id<'per'>, email: user.email, name: user.name, isOperator: user.isOperator === true },
      createdAt: session.createdAt,
      expiresAt: session.expiresAt,
    }
  }

  /** The session that was there before, if any, has ended then: a person who signs in again has one. */
  async signIn(email: string, password: string, cookie: string): Promise<Cookies> {
    const { headers } = await asProblem(
      this.#auth.api.signInEmail({ body: { email, password }, headers: new Headers(), returnHeaders: true }),
    )
    await this.signOut(cookie)
    return cookiesOf(headers)
  }

  async signOut(cookie: string): Promise<Cookies> {
    const { headers } = await this.#auth.api.signOut({ headers: new Headers({ cookie }), returnHeaders: true })
    return cookiesOf(headers)
  }

  /** All of this person but the one that asks. */
  async endOthers(cookie: string): Promise<void> {
    await this.#auth.api.revokeOtherSessions({ headers: new Headers({ cookie }) })
  }

  /** Ends every other session, and every link to set a password. */
  async changePassword(cookie: string, currentPassword: string, newPassword: string): Promise<Cookies> {
    const body = { currentPassword, newPassword, revokeOtherSessions: true }
    const { headers, response } = await asProblem(
      this.#auth.api.changePassword({ body, headers: new Headers({ cookie }), returnHeaders: true }),
    )
    await forgetLinks(this.#deps.db, response.user.id as Id<'per'>)
    return cookiesOf(headers)
  }

  /** Where to send the browser. `link`: the provider's account becomes another way in for whoever is signed in. */
  async startProviderSignIn(
    purpose: 'sign_in' | 'link',
    returnTo: string,
    cookie: string,
  ): Promise<Cookies & { url: string }> {
    const { api } = await this.#provider()
    const body = { provider: providerId, callbackURL: returnTo, errorCallbackURL: '/sign-in', disableRedirect: true }
    const call = { body, headers: new Headers({ cookie }), returnHeaders: true } as const
    const { headers, response } = await asProblem(
      purpose === 'link' ? api.linkSocialAccount(call) : api.signInSocial(call),
    )
    if (!response.url) throw providerAway()
    return { url: response.url, ...cookiesOf(headers) }
  }

  /** The browser is back from the provider. */
  async answerProvider(request: Request): Promise<Response> {
    return inTime((await this.#provider()).handler(request))
  }

  /** The provider is asked what it is when it is first needed, and again if it did not answer: it may be away when we start. */
  async #provider(): Promise<Auth> {
    if (!this.#oidc) throw new Problem('not_found', 'There is no provider to sign in with here.')
    this.#withProvider ??= Promise.resolve(createAuth(this.#deps, this.#oidc))
    const auth = await this.#withProvider
    try {
      const { socialProviders } = await inTime(auth.$context)
      if (socialProviders.length > 0) return auth
    } catch (error) {
      this.#withProvider = undefined // else whoever needs it next would be told the same
      throw error
    }
    this.#withProvider = undefined
    throw providerAway()
  }
}

const providerPatienceMs = 10_000 // the library would wait for five minutes, and with it the browser

async function inTime<Answer>(asking: Promise<Answer>): Promise<Answer> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(providerAway()), providerPatienceMs)
  try {
    return await Promise.race([asking, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

const providerAway = () =>
  new Problem('unavailable', 'The provider to sign in with does not answer: try again in a moment.', {
    headers: { 'retry-after': '5' },
  })

const cookiesOf = (headers: Headers): Cookies => ({ setCookie: headers.getSetCookie() })

async function asProblem<Answer>(calling: Promise<Answer>): Promise<Answer> {
  try {
    return await calling
  } catch (error) {
    if (!(error instanceof APIError)) throw error
    const code = String(error.body?.code ?? '')
    if (code === 'INVALID_EMAIL_OR_PASSWORD' || code === 'INVALID_EMAIL')
      throw new Problem('unauthenticated', 'The email address or the password is wrong.')
    if (code === 'INVALID_PASSWORD') throw new Problem('invalid_request', 'The current password is wrong.')
    if (error.statusCode === 401) throw new Problem('unauthenticated', 'Sign in first.')
    if (error.statusCode >= 500) throw error
    throw new Problem('invalid_request', `${error.body?.message ?? 'This cannot be done'}.`.replace(/\.\.$/, '.'))
  }
}
