/**
 * Configures better-auth for the parts that Colophon uses: sessions, password verification and OpenID Connect. Colophon itself
 * creates people (`person-store.ts`, `invitation-store.ts`); better-auth creates only invited people who sign in with the
 * OpenID provider.
 */
import { betterAuth } from 'better-auth'
import { APIError } from 'better-auth/api'
import { genericOAuth } from 'better-auth/plugins'
import type { Database } from '../database/database.ts'
import type { OidcConfig } from '../platform/config.ts'
import { type Id, newId } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { hashPassword, maxPasswordCharacters, minPasswordCharacters, verifyPassword } from './passwords.ts'
import { type Person, sessionCookieName } from './session.ts'

export interface AuthDeps {
  db: Database
  publicUrl: string
  sessionSecret: string
  /** Whether a person who signs in with the provider for the first time was invited. */
  isInvited(email: string): Promise<boolean>
  /** A disabled person gets no session. */
  isDisabled(personId: Id<'per'>): Promise<boolean>
  /** Called after better-auth created a person who signed in with the provider. */
  onNewPerson(person: Pick<Person, 'id' | 'email'>): Promise<void>
  /** Called after a person can also sign in with an account at the provider. */
  onProviderLinked(personId: Id<'per'>): Promise<void>
  log: Log
}

/** The sign-in page gets it in its URL. */
export const accountDisabledCode = 'account_disabled'
export const oidcProviderId = 'oidc'
export const authPath = '/v2/auth'
const sessionSeconds = 7 * 24 * 3600

export type BetterAuth = ReturnType<typeof createBetterAuth>

export function createBetterAuth(deps: AuthDeps, oidc?: OidcConfig) {
  return betterAuth({
    appName: 'Colophon',
    baseURL: new URL(deps.publicUrl).origin,
    basePath: authPath,
    secret: deps.sessionSecret,
    trustedOrigins: [new URL(deps.publicUrl).origin],
    database: { db: deps.db, type: 'postgres' },
    telemetry: { enabled: false },
    logger: {
      level: 'warn',
      log: (_level, message) => deps.log.warn({ from: 'better-auth' }, message), // always `warn`: what better-auth logs as errors are mistakes of people who sign in
    },
    onAPIError: { errorURL: '/sign-in' },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: minPasswordCharacters,
      maxPasswordLength: maxPasswordCharacters,
      password: { hash: hashPassword, verify: ({ password, hash }) => verifyPassword(password, hash) },
    },
    user: {
      modelName: 'person',
      fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
      additionalFields: {
        isOperator: { type: 'boolean', fieldName: 'is_operator', input: false, defaultValue: false },
        disabledAt: { type: 'date', fieldName: 'disabled_at', input: false, required: false },
      },
      async validateUserInfo({ user, source }) {
        if (source.action !== 'create-user') return
        if (user.emailVerified === true && user.email && (await deps.isInvited(user.email))) return
        return { error: 'not_invited' }
      },
    },
    databaseHooks: {
      user: { create: { after: async ({ id, email }) => deps.onNewPerson({ id: id as Id<'per'>, email }) } },
      account: {
        create: {
          async after({ providerId, userId }) {
            if (providerId === oidcProviderId) await deps.onProviderLinked(userId as Id<'per'>)
          },
        },
      },
      session: {
        create: {
          async before({ userId }) {
            if (await deps.isDisabled(userId as Id<'per'>))
              throw new APIError('FORBIDDEN', { code: accountDisabledCode })
          },
        },
      },
    },
    session: {
      modelName: 'person_session',
      fields: {
        userId: 'person_id',
        expiresAt: 'expires_at',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
      expiresIn: sessionSeconds,
      disableSessionRefresh: true,
      cookieCache: { enabled: false }, // otherwise a session that was ended would stay valid in the cookie
    },
    account: {
      modelName: 'person_account',
      fields: {
        userId: 'person_id',
        providerId: 'provider_id',
        accountId: 'account_id',
        idToken: 'id_token',
        accessToken: 'access_token',
        refreshToken: 'refresh_token',
        accessTokenExpiresAt: 'access_token_expires_at',
        refreshTokenExpiresAt: 'refresh_token_expires_at',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
      // With implicit linking, anyone who gets a provider to claim an email address would take over the account with that
      // address.
      accountLinking: { enabled: true, disableImplicitLinking: true },
      encryptOAuthTokens: true,
    },
    verification: {
      modelName: 'person_verification',
      fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
    },
    advanced: {
      cookiePrefix: 'colophon',
      // `Secure` is always set. Browsers accept it on http://localhost too. `__Host-` prevents other subdomains from setting the
      // cookie.
      defaultCookieAttributes: { secure: true, httpOnly: true, sameSite: 'lax', path: '/' },
      cookies: { session_token: { name: sessionCookieName }, state: { name: '__Host-colophon_state' } },
      useSecureCookies: false, // would add the prefix `__Secure-` to the cookie names
      ipAddress: { disableIpTracking: true },
      database: { generateId: ({ model }) => (model === 'user' ? newId('per') : newId('ses')) },
    },
    plugins: oidc
      ? [
          genericOAuth({
            config: [
              {
                providerId: oidcProviderId,
                name: oidc.name,
                discoveryUrl: `${oidc.issuer}/.well-known/openid-configuration`,
                requireIdTokenVerification: true,
                clientId: oidc.clientId,
                clientSecret: oidc.clientSecret,
                scopes: ['openid', 'email', 'profile'],
                // The provider may omit the name, or send a long one.
                mapProfileToUser: ({ name, preferred_username, email }) => ({
                  name: String(name || preferred_username || email).slice(0, 100),
                }),
              },
            ],
          }),
        ]
      : [],
  })
}
