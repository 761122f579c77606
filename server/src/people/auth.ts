/**
 * better-auth, narrowed to what we use of it: it keeps sessions, checks passwords and speaks OpenID Connect. People are made
 * by us alone (`person-store.ts`, `invitation-store.ts`), except those for whom the provider vouches and who were invited.
 */
import { betterAuth } from 'better-auth'
import { genericOAuth } from 'better-auth/plugins'
import type { Kysely } from 'kysely'
import type { OidcConfig } from '../platform/config.ts'
import { type Id, newId } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { hashPassword, isPassword, maxPasswordCharacters, minPasswordCharacters } from './passwords.ts'
import { type Person, sessionCookieName } from './session.ts'
import type { PeopleTables } from './tables.ts'

export interface AuthDeps {
  db: Kysely<PeopleTables>
  publicUrl: string
  sessionSecret: string
  /** Whether somebody whom the provider brings, and who is new, was invited. */
  isInvited(email: string): Promise<boolean>
  /** Somebody whom the provider brought is a person now. */
  onNewPerson(person: Pick<Person, 'id' | 'email'>): Promise<void>
  log: Log
}

export const providerId = 'oidc'
export const authPath = '/v2/auth'
const sessionSeconds = 7 * 24 * 3600

export type Auth = ReturnType<typeof createAuth>

export function createAuth(deps: AuthDeps, oidc?: OidcConfig) {
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
      log: (_level, message) => deps.log.warn({ from: 'better-auth' }, message), // its errors are people's mistakes
    },
    onAPIError: { errorURL: '/sign-in' },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: minPasswordCharacters,
      maxPasswordLength: maxPasswordCharacters,
      password: { hash: hashPassword, verify: ({ password, hash }) => isPassword(password, hash) },
    },
    user: {
      modelName: 'person',
      fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
      additionalFields: {
        isOperator: { type: 'boolean', fieldName: 'is_operator', input: false, defaultValue: false },
      },
      async validateUserInfo({ user, source }) {
        if (source.action !== 'create-user') return
        if (user.emailVerified === true && user.email && (await deps.isInvited(user.email))) return
        return { error: 'not_invited' }
      },
    },
    databaseHooks: {
      user: { create: { after: async ({ id, email }) => deps.onNewPerson({ id: id as Id<'per'>, email }) } },
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
      cookieCache: { enabled: false }, // a session that was ended would live on in the cookie
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
      // Whoever can make a provider say an address would have the account that has it.
      accountLinking: { enabled: true, disableImplicitLinking: true },
      encryptOAuthTokens: true,
    },
    verification: {
      modelName: 'person_verification',
      fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
    },
    advanced: {
      cookiePrefix: 'colophon',
      // Always, also on http://localhost, where browsers take it; `__Host-` keeps neighbours on other subdomains from setting it.
      defaultCookieAttributes: { secure: true, httpOnly: true, sameSite: 'lax', path: '/' },
      cookies: { session_token: { name: sessionCookieName }, state: { name: '__Host-colophon_state' } },
      useSecureCookies: false, // would put `__Secure-` before the names
      ipAddress: { disableIpTracking: true },
      database: { generateId: ({ model }) => (model === 'user' ? newId('per') : newId('ses')) },
    },
    plugins: oidc
      ? [
          genericOAuth({
            config: [
              {
                providerId,
                name: oidc.name,
                discoveryUrl: `${oidc.issuer}/.well-known/openid-configuration`,
                requireIdTokenVerification: true,
                clientId: oidc.clientId,
                clientSecret: oidc.clientSecret,
                scopes: ['openid', 'email', 'profile'],
                // A provider need not tell a name, and may tell a long one.
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
