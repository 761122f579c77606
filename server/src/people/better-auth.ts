/**
 * Configures better-auth for the parts that Colophon uses: sessions, password verification and OpenID Connect. Colophon itself
 * creates people (`person-store.ts`, `invitation-store.ts`); better-auth creates only invited people who sign in with the
 * OpenID provider.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash, randomInt } from 'node:crypto'
import { type BetterAuthPlugin, betterAuth } from 'better-auth'
import { APIError, createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import { genericOAuth, twoFactor } from 'better-auth/plugins'
import type { Database } from '../database/database.ts'
import type { OidcConfig } from '../platform/config.ts'
import { type Id, newId } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { admitsGroups } from './group-roles.ts'
import { hashPassword, maxPasswordCharacters, minPasswordCharacters, verifyPassword } from './passwords.ts'
import { type Browser, type Person, secondFactorCookieName, sessionCookieName } from './session.ts'
import { rememberNetwork } from './sign-in-guard.ts'

export interface AuthDeps {
  db: Database
  publicUrl: string
  sessionSecret: string
  /** Whether a person who signs in with the provider for the first time was invited. */
  isInvited(email: string): Promise<boolean>
  /** Gives the person who signs in with the provider the roles of their groups. */
  applyGroups(personId: Id<'per'>, groups: readonly string[]): Promise<void>
  /** A disabled person gets no session. */
  isDisabled(personId: Id<'per'>): Promise<boolean>
  /** Called after better-auth created a person who signed in with the provider. */
  onNewPerson(person: Pick<Person, 'id' | 'email'>): Promise<void>
  /** Called after a person can also sign in with an account at the provider. */
  onProviderLinked(personId: Id<'per'>): Promise<void>
  log: Log
}

/** What the provider reports about the person who signs in: the claims of the verified ID token, and those of its user info. */
interface ProviderClaims {
  claims: Readonly<Record<string, unknown>>
}

/** better-auth passes the claims only to some of the hooks that need them. */
const providerSignIn = new AsyncLocalStorage<ProviderClaims>()

export const withProviderClaims = <Result>(work: () => Promise<Result>): Promise<Result> =>
  providerSignIn.run({ claims: {} }, work)

/** Not recent, if the provider does not say when the person entered their credentials. */
const unknownTime = new Date(0)

function readAuthTime(): Date {
  const seconds = providerSignIn.getStore()?.claims.auth_time
  return typeof seconds === 'number' ? new Date(Math.min(seconds * 1000, Date.now())) : unknownTime
}

function readGroups({ groupsClaim }: OidcConfig): string[] {
  const groups = providerSignIn.getStore()?.claims[groupsClaim]
  return Array.isArray(groups) ? groups.filter((group) => typeof group === 'string') : []
}

/** Whether the provider says so, if the operator requires it. */
function hasUsedSecondFactor({ secondFactorValues }: OidcConfig): boolean {
  const { amr, acr } = providerSignIn.getStore()?.claims ?? {}
  const reported = new Set([acr, ...(Array.isArray(amr) ? amr : [])])
  return secondFactorValues.length === 0 || secondFactorValues.some((value) => reported.has(value))
}

/** The token was verified before. Only its payload is read here. */
function readPayload(idToken: string | undefined): Record<string, unknown> {
  const [, payload = ''] = (idToken ?? '').split('.')
  return payload === '' ? {} : (JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>)
}

const isAllowedDomain = ({ allowedDomains }: OidcConfig, email: string): boolean =>
  allowedDomains.length === 0 || allowedDomains.includes(email.toLowerCase().split('@').at(-1) ?? '')

/** The sign-in page gets it in its URL. */
export const accountDisabledCode = 'account_disabled'
export const oidcProviderId = 'oidc'
export const authPath = '/v2/auth'
export const sessionSeconds = 7 * 24 * 3600

/** Only in the requests that Colophon itself passes to better-auth. */
const networkHeader = 'x-colophon-network'

export const toAuthHeaders = ({ cookieHeader, userAgent, coarseNetwork }: Browser): Headers =>
  new Headers({ cookie: cookieHeader, 'user-agent': userAgent, [networkHeader]: coarseNetwork })

/** Without letters and digits that are easily confused on paper. A code has 138 random bits, so a plain hash protects it. */
const recoveryAlphabet = 'abcdefghjkmnpqrstuvwxyz23456789'

export function generateRecoveryCodes(): string[] {
  const group = () => Array.from({ length: 7 }, () => recoveryAlphabet[randomInt(recoveryAlphabet.length)]).join('')
  return Array.from({ length: 10 }, () => Array.from({ length: 4 }, group).join('-'))
}

export const hashRecoveryCode = (code: string): string => createHash('sha256').update(code).digest('hex')

/**
 * Stores hashes in place of the codes. better-auth compares what it is given with what is stored, so it is given the hash of a code;
 * after a code is used, it stores the others again, which are hashes already.
 */
export const hashedRecoveryCodes = {
  encrypt: async (codes: string) =>
    JSON.stringify((JSON.parse(codes) as string[]).map((code) => (code.includes('-') ? hashRecoveryCode(code) : code))),
  decrypt: async (hashes: string) => hashes,
}

/** Starts a session for a person whose passkey `PasskeyStore` has verified. No URL reaches it. */
const passkeySessions = {
  id: 'colophon-passkey-sessions',
  endpoints: {
    startPasskeySession: createAuthEndpoint.serverOnly(
      { method: 'POST', metadata: { $Infer: { body: {} as { personId: Id<'per'> } } } },
      async (context) => {
        const { internalAdapter } = context.context
        const user = await internalAdapter.findUserById(context.body.personId)
        if (!user) throw new APIError('UNAUTHORIZED')
        const session = await internalAdapter.createSession(user.id, false, { signInMethod: 'passkey' })
        await setSessionCookie(context, { session, user })
        return context.json({ personId: user.id })
      },
    ),
  },
} satisfies BetterAuthPlugin

const isProviderCallback = (path: string | undefined) =>
  path?.startsWith('/callback/') || path?.startsWith('/oauth2/callback/')

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
        const { email } = user
        if (oidc && source.method === 'oauth' && !(email && isAllowedDomain(oidc, email)))
          return { error: 'email_domain_not_allowed' }
        if (oidc && source.method === 'oauth' && !hasUsedSecondFactor(oidc)) return { error: 'second_factor_missing' }
        if (source.action !== 'create-user') return
        const isAdmitted = oidc && admitsGroups(oidc.groupRoles, readGroups(oidc))
        if (user.emailVerified === true && email && (isAdmitted || (await deps.isInvited(email)))) return
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
          async before(session, context) {
            const personId = session.userId as Id<'per'>
            if (await deps.isDisabled(personId)) throw new APIError('FORBIDDEN', { code: accountDisabledCode })
            const ipAddress = context?.headers?.get(networkHeader) ?? session.ipAddress ?? null
            if (!oidc || !isProviderCallback(context?.path))
              return { data: { ...session, ipAddress, signInMethod: session.signInMethod ?? 'password' } }
            await deps.applyGroups(personId, readGroups(oidc))
            return { data: { ...session, ipAddress, signInMethod: 'provider', authenticatedAt: readAuthTime() } }
          },
          async after({ userId }, context) {
            const network = context?.headers?.get(networkHeader)
            // After a password, a second factor may be missing: `SessionManager.signIn` knows.
            if (network && context?.path !== '/sign-in/email')
              await rememberNetwork(deps.db, userId as Id<'per'>, network)
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
      additionalFields: {
        signInMethod: { type: 'string', fieldName: 'sign_in_method', input: false, required: false },
        authenticatedAt: { type: 'date', fieldName: 'authenticated_at', input: false, required: false },
        lastUsedAt: {
          type: 'date',
          fieldName: 'last_used_at',
          input: false,
          required: false,
          defaultValue: () => new Date(),
        },
      },
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
      cookies: {
        session_token: { name: sessionCookieName },
        state: { name: '__Host-colophon_state' },
        two_factor: { name: secondFactorCookieName },
      },
      useSecureCookies: false, // would add the prefix `__Secure-` to the cookie names
      ipAddress: { disableIpTracking: true },
      database: { generateId: ({ model }) => (model === 'user' ? newId('per') : newId('ses')) },
    },
    plugins: [
      passkeySessions,
      twoFactor({
        issuer: `Colophon (${new URL(deps.publicUrl).host})`,
        twoFactorTable: 'person_two_factor',
        backupCodeOptions: { storeBackupCodes: hashedRecoveryCodes, customBackupCodesGenerate: generateRecoveryCodes },
        schema: {
          user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
          twoFactor: {
            fields: {
              userId: 'person_id',
              backupCodes: 'backup_codes',
              failedVerificationCount: 'failed_verification_count',
              lockedUntil: 'locked_until',
            },
          },
        },
      }),
      ...(oidc
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
                  scopes: ['openid', 'email', 'profile', ...oidc.extraScopes],
                  accountSubject({ tokens, profile }) {
                    // better-auth would be content with the user info, which is not signed and not for this sign-in.
                    if (!tokens.idToken) throw new Error('the OpenID provider sent no ID token')
                    const signIn = providerSignIn.getStore()
                    if (signIn) signIn.claims = { ...profile, ...readPayload(tokens.idToken) }
                    return profile.sub ?? ''
                  },
                  // The provider may omit the name, or send a long one.
                  mapProfileToUser: ({ name, preferred_username, email }) => ({
                    name: String(name || preferred_username || email).slice(0, 100),
                  }),
                },
              ],
            }),
          ]
        : []),
    ],
  })
}
