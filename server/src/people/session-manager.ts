/** Sessions of people. Each request reads the session from PostgreSQL, so that a session that is ended is invalid everywhere. */
import { randomBytes } from 'node:crypto'
import { APIError } from 'better-auth/api'
import { symmetricEncrypt } from 'better-auth/crypto'
import { sql } from 'kysely'
import type { OidcConfig } from '../platform/config.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'
import { withoutTrailingSlashes } from '../platform/settings/kinds.ts'
import {
  type AuthDeps,
  accountDisabledCode,
  type BetterAuth,
  createBetterAuth,
  generateRecoveryCodes,
  hashedRecoveryCodes,
  hashRecoveryCode,
  oidcProviderId,
  toAuthHeaders,
  withProviderClaims,
} from './better-auth.ts'
import { assertHardToGuess } from './password-rules.ts'
import { deleteOneTimeLinks } from './person-store.ts'
import {
  listSecondFactors,
  lockSecondFactors,
  type NewSecondFactor,
  readRecoveryCodes,
  removeAuthenticator,
  writeRecoveryCodes,
} from './second-factors.ts'
import {
  type Browser,
  type ListedSession,
  type LiveSession,
  type Person,
  type SecondFactor,
  type SignInMethod,
  secondFactorCookieName,
  sessionCookieName,
} from './session.ts'
import { rememberNetwork } from './sign-in-guard.ts'

/**
 * `link`: lets the signed-in person also sign in with the account at the provider. `reauthenticate`: the provider must ask for the
 * credentials again.
 */
export type ProviderSignInPurpose = 'sign_in' | 'link' | 'reauthenticate'

/** Signed in, or waiting for the second factor. */
export interface SignInResult extends SetCookieHeaders {
  needsSecondFactor: boolean
  /** Those of the person who has to use one of them now. */
  secondFactors: readonly SecondFactor[]
}

/** What an authenticator app needs, and the codes for the case that it is lost. Never returned again. */
export interface SecondFactorSecrets {
  /** `otpauth://` */
  uri: string
  /** Empty if the person has some already, because of a passkey. */
  recoveryCodes: string[]
}

/** The cookies to set in the browser. */
export interface SetCookieHeaders {
  setCookie: string[]
}

export interface SessionManagerDeps extends AuthDeps {
  /** A session that is not used for so long ends. */
  maxIdleHours: number
}

/** The last use is recorded at most this often, so that reading does not become writing. */
const useRecordedEveryMs = 60_000
const maxListed = 100

export class SessionManager {
  readonly #auth: BetterAuth
  readonly #deps: SessionManagerDeps
  readonly #oidc: OidcConfig | undefined
  #authWithProvider: Promise<BetterAuth> | undefined

  constructor(deps: SessionManagerDeps, oidc: OidcConfig | undefined) {
    this.#auth = createBetterAuth(deps)
    this.#deps = deps
    this.#oidc = oidc
  }

  /** Whether people can sign in with a password or a passkey. */
  get allowsPasswords(): boolean {
    return this.#oidc?.isRequired !== true
  }

  /** Throws if people have to sign in with the provider. */
  assertPasswordsAllowed(): void {
    if (this.#oidc?.isRequired)
      throw new Problem(
        'invalid_request',
        `This instance does not use passwords and passkeys. Sign in with ${this.#oidc.name}.`,
      )
  }

  get providers(): { id: string; name: string }[] {
    return this.#oidc ? [{ id: oidcProviderId, name: this.#oidc.name }] : []
  }

  async find(cookie: string): Promise<LiveSession | undefined> {
    const response = await this.#auth.api.getSession({ headers: new Headers({ cookie }) })
    if (!response) return undefined
    const { session, user } = response
    if (user.disabledAt) return undefined // a sign-in at the moment of disabling may have created a session
    if (!(await this.#recordUse(session.id as Id<'ses'>, session.lastUsedAt ?? session.createdAt))) return undefined
    return {
      id: session.id as Id<'ses'>,
      person: {
        id: user.id as Id<'per'>,
        email: user.email,
        name: user.name,
        isOperator: user.isOperator === true,
        hasSecondFactor: user.twoFactorEnabled === true,
      },
      createdAt: session.createdAt,
      expiresAt: session.expiresAt,
      signInMethod: toSignInMethod(session.signInMethod),
      authenticatedAt: session.authenticatedAt ?? session.createdAt,
    }
  }

  /**
   * Ends the previous session of the browser, if there is one, so that signing in again does not leave two sessions. If the person
   * has a second factor, only `verifySecondFactor` starts the session.
   */
  async signIn(email: string, password: string, browser: Browser): Promise<SignInResult> {
    const { headers, response } = await withProblems(
      this.#auth.api.signInEmail({
        body: { email, password },
        headers: toAuthHeaders({ ...browser, cookieHeader: '' }),
        returnHeaders: true,
      }),
    )
    if ('twoFactorRedirect' in response) {
      const secondFactors = await this.#listSecondFactorsOf(email)
      return { needsSecondFactor: true, secondFactors, setCookie: withoutDeletedSession(headers) }
    }
    await rememberNetwork(this.#deps.db, response.user.id as Id<'per'>, browser.coarseNetwork)
    await this.signOut(browser.cookieHeader)
    return { needsSecondFactor: false, secondFactors: [], ...cookiesOf(headers) }
  }

  async #listSecondFactorsOf(email: string): Promise<SecondFactor[]> {
    const person = await this.#deps.db
      .selectFrom('person')
      .select('id')
      .where('email', '=', email.toLowerCase())
      .executeTakeFirst()
    return person ? listSecondFactors(this.#deps.db, person.id) : []
  }

  /** Signs in the person whose passkey was verified. It counts as two factors: the device, and what unlocked it. */
  async signInWithPasskey(personId: Id<'per'>, browser: Browser): Promise<SetCookieHeaders> {
    const { headers } = await withProblems(
      this.#auth.api.startPasskeySession({
        body: { personId },
        headers: toAuthHeaders({ ...browser, cookieHeader: '' }),
        returnHeaders: true,
      }),
    )
    await this.signOut(browser.cookieHeader)
    return cookiesOf(headers)
  }

  /** The second step of signing in: a code of the authenticator app, or a recovery code. */
  async verifySecondFactor(code: string, browser: Browser): Promise<SetCookieHeaders> {
    // Without the cookie of a session: with one, better-auth would not count the attempts, and would start no session.
    const cookieHeader = pickCookie(browser.cookieHeader, secondFactorCookieName)
    const call = { headers: toAuthHeaders({ ...browser, cookieHeader }), returnHeaders: true } as const
    const isTotp = /^\d{6}$/.test(code)
    const { headers, response } = await withProblems(
      isTotp
        ? this.#auth.api.verifyTOTP({ body: { code }, ...call })
        : this.#auth.api.verifyBackupCode({ body: { code: hashRecoveryCode(code) }, ...call }),
    )
    const personId = response.user.id as Id<'per'>
    if (isTotp && !(await this.#useTotpCode(personId, code))) {
      await this.signOut(toCookieHeader(headers.getSetCookie()))
      throw wrongCode()
    }
    await this.signOut(browser.cookieHeader)
    return cookiesOf(headers)
  }

  /** Returns false if the code was used before. */
  async #useTotpCode(personId: Id<'per'>, code: string): Promise<boolean> {
    const used = await this.#deps.db
      .insertInto('used_totp_code')
      .values({ person_id: personId, code })
      .onConflict((conflict) => conflict.doNothing())
      .returning('code')
      .executeTakeFirst()
    return used !== undefined
  }

  /** Has no effect until `confirmSecondFactor`. The recovery codes of a person with passkeys stay. */
  async createSecondFactor(person: Person, password: string, browser: Browser): Promise<SecondFactorSecrets> {
    const existingCodes = person.hasSecondFactor ? await readRecoveryCodes(this.#deps.db, person.id) : undefined
    const response = await withProblems(
      this.#auth.api.enableTwoFactor({ body: { password, method: 'totp' }, headers: toAuthHeaders(browser) }),
    )
    if (response.method !== 'totp') throw new Error('better-auth enabled another second factor')
    if (existingCodes === undefined) return { uri: response.totpURI, recoveryCodes: response.backupCodes }
    await writeRecoveryCodes(this.#deps.db, person.id, existingCodes)
    return { uri: response.totpURI, recoveryCodes: [] }
  }

  /** Turns the second factor on, with a code that shows that the authenticator app works. */
  async confirmSecondFactor(code: string, browser: Browser): Promise<SetCookieHeaders> {
    const cookieHeader = pickCookie(browser.cookieHeader, sessionCookieName)
    const { headers, response } = await withProblems(
      this.#auth.api.verifyTOTP({
        body: { code },
        headers: toAuthHeaders({ ...browser, cookieHeader }),
        returnHeaders: true,
      }),
    ).catch((error: unknown) => {
      if (!(error instanceof Problem) || error.code !== 'unauthenticated') throw error
      throw new Problem('invalid_request', 'The code is wrong. Enter the code that your authenticator app shows now.') // the session is fine
    })
    await this.#useTotpCode(response.user.id as Id<'per'>, code)
    const cookies = cookiesOf(headers)
    // The first second factor starts a new session. The other ones were started with a password alone.
    if (cookies.setCookie.length > 0) await this.endOthers(toCookieHeader(cookies.setCookie))
    return cookies
  }

  async removeSecondFactor(person: Person, password: string, browser: Browser): Promise<void> {
    await withProblems(this.#auth.api.verifyPassword({ body: { password }, headers: toAuthHeaders(browser) }))
    const unknownSecret = await this.prepareSecondFactor()
    await this.#deps.db.transaction().execute(async (tx) => {
      await lockSecondFactors(tx, person.id)
      await removeAuthenticator(tx, person.id, unknownSecret)
    })
  }

  /** Recovery codes for a person who gets a second factor without an authenticator app, stored as better-auth does it. */
  async prepareSecondFactor(): Promise<NewSecondFactor> {
    const { secretConfig: key } = await this.#auth.$context
    const recoveryCodes = generateRecoveryCodes()
    return {
      recoveryCodes,
      storedRecoveryCodes: await hashedRecoveryCodes.encrypt(JSON.stringify(recoveryCodes)),
      encryptedSecret: await symmetricEncrypt({ key, data: randomBytes(32).toString('base64url') }),
    }
  }

  /** The previous recovery codes stop working. */
  async createRecoveryCodes(password: string, browser: Browser): Promise<string[]> {
    const { backupCodes } = await withProblems(
      this.#auth.api.generateBackupCodes({ body: { password }, headers: toAuthHeaders(browser) }),
    )
    return backupCodes
  }

  /** Returns false if the session was not used for too long. It is ended then. */
  async #recordUse(id: Id<'ses'>, lastUsedAt: Date): Promise<boolean> {
    const idleMs = Date.now() - lastUsedAt.getTime()
    if (idleMs > this.#deps.maxIdleHours * 3_600_000) {
      await this.#deps.db.deleteFrom('person_session').where('id', '=', id).execute()
      return false
    }
    if (idleMs > useRecordedEveryMs)
      await this.#deps.db
        .updateTable('person_session')
        .set({ last_used_at: sql<Date>`now()` })
        .where('id', '=', id)
        .execute()
    return true
  }

  /** The sessions of a person that are still valid, the last used one first. */
  async list(personId: Id<'per'>): Promise<ListedSession[]> {
    return this.#deps.db
      .selectFrom('person_session')
      .select(['id', 'user_agent as userAgent', 'ip_address as coarseNetwork'])
      .select(['created_at as createdAt', 'last_used_at as lastUsedAt', 'expires_at as expiresAt'])
      .where('person_id', '=', personId)
      .where('expires_at', '>', sql<Date>`now()`)
      .where('last_used_at', '>', sql<Date>`now() - make_interval(hours => ${this.#deps.maxIdleHours})`)
      .orderBy('last_used_at', 'desc')
      .limit(maxListed)
      .execute()
  }

  /** Ends one session of the person, if it has not ended already. */
  async end(personId: Id<'per'>, sessionId: string): Promise<void> {
    await this.#deps.db
      .deleteFrom('person_session')
      .where('person_id', '=', personId)
      .where('id', '=', sessionId as Id<'ses'>)
      .execute()
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
  async changePassword(
    person: Person,
    browser: Browser,
    { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
  ): Promise<SetCookieHeaders> {
    assertHardToGuess(newPassword, person)
    const body = { currentPassword, newPassword, revokeOtherSessions: true }
    const { headers, response } = await withProblems(
      this.#auth.api.changePassword({ body, headers: toAuthHeaders(browser), returnHeaders: true }),
    )
    await deleteOneTimeLinks(this.#deps.db, response.user.id as Id<'per'>)
    return cookiesOf(headers)
  }

  /** Returns where to send the browser. */
  async startProviderSignIn(
    purpose: ProviderSignInPurpose,
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
    const url = new URL(response.url)
    if (purpose === 'reauthenticate') {
      url.searchParams.set('prompt', 'login')
      url.searchParams.set('max_age', '0') // the provider must then say when the person signed in (`auth_time`)
    }
    return { url: url.href, ...cookiesOf(headers) }
  }

  /** Handles the request with which the browser comes back from the provider. */
  async handleProviderCallback(request: Request): Promise<Response> {
    const { handler } = await this.#loadProvider()
    return withProviderClaims(() => withTimeout(handler(request)))
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
      const [provider] = socialProviders
      if (provider && isIssuer(provider.issuer, this.#oidc)) return auth
      if (provider)
        this.#deps.log.error(
          { issuer: provider.issuer },
          'the OpenID provider names another issuer than COLOPHON_OIDC_ISSUER: nobody can sign in with it',
        )
    } catch (error) {
      this.#authWithProvider = undefined // otherwise the next sign-in would get the same error
      throw error
    }
    this.#authWithProvider = undefined
    throw providerUnavailable()
  }
}

/** A document of another issuer could make Colophon accept its tokens. */
const isIssuer = (issuer: string | undefined, oidc: OidcConfig): boolean =>
  issuer !== undefined && withoutTrailingSlashes(issuer) === oidc.issuer

function toSignInMethod(method: string | null | undefined): SignInMethod {
  return method === 'provider' || method === 'passkey' ? method : 'password'
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

/** While the second factor is missing, the previous session of the browser stays. better-auth deletes its cookie. */
const withoutDeletedSession = (headers: Headers): string[] =>
  headers.getSetCookie().filter((line) => !line.startsWith(`${sessionCookieName}=`))

const pickCookie = (cookieHeader: string, name: string): string =>
  cookieHeader.split(/;\s*/).find((pair) => pair.startsWith(`${name}=`)) ?? ''

/** As the browser sends back what it was told to set. */
export const toCookieHeader = (setCookie: readonly string[]): string =>
  setCookie.map((header) => header.split(';', 1)[0]).join('; ')

const wrongCode = () =>
  new Problem(
    'unauthenticated',
    'The code is wrong or was used before. Enter the code that your authenticator app shows now, or a recovery code.',
  )

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
    if (code === 'INVALID_CODE' || code === 'INVALID_BACKUP_CODE') throw wrongCode()
    if (code === 'INVALID_TWO_FACTOR_COOKIE' || code === 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE')
      throw new Problem(
        'unauthenticated',
        'This sign-in has expired, or had too many wrong codes. Start again with your email address and password.',
      )
    if (code === 'ACCOUNT_TEMPORARILY_LOCKED')
      throw new Problem(
        'rate_limited',
        'There were too many wrong codes for this account. Wait 15 minutes and sign in again.',
        {
          headers: { 'retry-after': '900' },
        },
      )
    if (code === 'TOTP_NOT_ENABLED' || code === 'TWO_FACTOR_NOT_ENABLED')
      throw new Problem(
        'invalid_request',
        'Your account has no authenticator app. Use a passkey or a recovery code if you have one.',
      )
    if (code === 'TOTP_ALREADY_ENABLED')
      throw new Problem('invalid_request', 'You already have an authenticator app. Remove it to set up another one.')
    if (code === accountDisabledCode)
      throw new Problem('unauthenticated', 'Your account is disabled. Ask an operator of this instance to enable it.')
    if (code === 'INVALID_PASSWORD') throw new Problem('invalid_request', 'The current password is wrong.')
    if (error.statusCode === 401) throw new Problem('unauthenticated', 'Sign in first.')
    if (error.statusCode >= 500) throw error
    throw new Problem('invalid_request', `${error.body?.message ?? 'The request was rejected'}.`.replace(/\.\.$/, '.'))
  }
}
