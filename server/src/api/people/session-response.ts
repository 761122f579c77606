import Type, { type Static } from 'typebox'
import type { PasskeyStore } from '../../people/passkey-store.ts'
import type { PersonStore } from '../../people/person-store.ts'
import { type Browser, hasPassedSecondFactor } from '../../people/session.ts'
import {
  type SessionManager,
  type SetCookieHeaders,
  type SignInResult,
  toCookieHeader,
} from '../../people/session-manager.ts'
import type { SignInGuard } from '../../people/sign-in-guard.ts'
import type { Id } from '../../platform/ids.ts'
import { recentlyAuthenticatedUntil } from '../authenticate-session.ts'
import { toCoarseNetwork } from '../client-network.ts'
import type { HttpRequestDetails } from '../route.ts'
import { DateTime, nullable } from '../schemas.ts'
import type { SignInAudit, SignInMethod } from './sign-in-audit.ts'

export interface SessionDeps {
  sessions: SessionManager
  people: PersonStore
  signInGuard: SignInGuard
  passkeys: PasskeyStore
  /** Whether everyone who signs in with a password needs a second factor. */
  requiresSecondFactor: boolean
  /** Whether invitations are sent by email. */
  canSendEmail: boolean
  signInAudit: SignInAudit
}

export const SessionSchema = Type.Object(
  {
    person: nullable(
      Type.Object({
        id: Type.String({ description: 'ID of the person.' }),
        email: Type.String({ description: 'Email address that the person signs in with.' }),
        name: Type.String({ description: 'Display name of the person.' }),
        isOperator: Type.Boolean({
          description: 'Whether the person is an operator of this instance, who can create projects and add models.',
        }),
        hasSecondFactor: Type.Boolean({
          description:
            'Whether the person has an authenticator app or a passkey, so that the password alone does not sign them in.',
        }),
      }),
      { description: 'The signed-in person. Null if no one is signed in.' },
    ),
    recentlyAuthenticatedUntil: nullable(
      DateTime(
        'Time until which this session may perform actions that require a recent sign-in, such as creating an API key. ' +
          'Null if no one is signed in.',
      ),
    ),
    needsSecondFactor: Type.Boolean({
      description:
        'Whether the password was correct and the second factor is missing: send a code to `/v2/session/second-factor` ' +
        'within 10 minutes, or sign in with a passkey. Only in responses to signing in.',
    }),
    secondFactors: Type.Array(Type.Enum(['authenticator', 'passkey'] as const), {
      description:
        'Second factors of the signed-in person or, if `needsSecondFactor` is true, of the person who signs in. Where one is ' +
        'needed, a recovery code works as well.',
    }),
    mustSetUpSecondFactor: Type.Boolean({
      description:
        'Whether the instance requires a second factor that the signed-in person does not have. Until they set one up, all ' +
        'other requests get `second_factor_required`.',
    }),
    failedSignIns: nullable(
      Type.Object({
        count: Type.Integer({ description: 'How many attempts failed.' }),
        firstAt: DateTime('Time of the first failed attempt.'),
        lastAt: DateTime('Time of the last failed attempt.'),
      }),
      {
        description:
          'Failed attempts to sign in with the email address of the signed-in person, if there were 5 or more that they ' +
          'have not dismissed. Otherwise null.',
      },
    ),
    needsFirstOwner: Type.Boolean({
      description:
        'Whether the instance has no operator yet, so that the first owner has to be created. False if someone is signed in.',
    }),
    canSendEmail: Type.Boolean({
      description: 'Whether this instance can send email. If it can, links of invitations are sent only by email.',
    }),
    allowsPasswords: Type.Boolean({
      description: 'Whether people can sign in with a password or a passkey. Otherwise they must use a provider.',
    }),
    providers: Type.Array(
      Type.Object({
        id: Type.String({ description: 'ID of the provider.' }),
        name: Type.String({ description: 'Name of the provider, as the sign-in page shows it.' }),
      }),
      { description: 'OpenID Connect providers that people can sign in with, besides email address and password.' },
    ),
  },
  {
    $id: 'Session',
    description: 'The session of a browser: who is signed in, and how people can sign in to this instance.',
    examples: [
      {
        person: {
          id: 'per_01m7ehpvk8eg2t3q9d4x5w0r7a',
          email: 'owner@example.com',
          name: 'Ada Example',
          isOperator: true,
          hasSecondFactor: true,
        },
        recentlyAuthenticatedUntil: '2026-01-31T12:10:00.000Z',
        needsSecondFactor: false,
        secondFactors: ['authenticator', 'passkey'],
        mustSetUpSecondFactor: false,
        failedSignIns: null,
        needsFirstOwner: false,
        canSendEmail: true,
        allowsPasswords: true,
        providers: [{ id: 'oidc', name: 'Example SSO' }],
      },
    ],
  },
)

type RequestedSecondFactor = Pick<SignInResult, 'needsSecondFactor' | 'secondFactors'>

export async function describeSession(
  { sessions, people, signInGuard, canSendEmail, requiresSecondFactor }: SessionDeps,
  cookie: string,
  { needsSecondFactor, secondFactors }: RequestedSecondFactor = { needsSecondFactor: false, secondFactors: [] },
): Promise<Static<typeof SessionSchema>> {
  const session = await sessions.find(cookie)
  const failures = session && (await signInGuard.findFailures(session.person.id))
  return {
    person: session?.person ?? null,
    recentlyAuthenticatedUntil: session ? recentlyAuthenticatedUntil(session).toISOString() : null,
    needsSecondFactor,
    secondFactors: session ? await people.listSecondFactors(session.person.id) : [...secondFactors],
    mustSetUpSecondFactor: session !== undefined && requiresSecondFactor && !hasPassedSecondFactor(session),
    failedSignIns: failures
      ? { count: failures.count, firstAt: failures.firstAt.toISOString(), lastAt: failures.lastAt.toISOString() }
      : null,
    needsFirstOwner: session === undefined && !(await people.hasOperator()),
    canSendEmail,
    allowsPasswords: sessions.allowsPasswords,
    providers: sessions.providers,
  }
}

/** Body and headers of the response to a request that signed a person in. */
export async function signedInResponse(
  deps: SessionDeps,
  { setCookie, needsSecondFactor = false, secondFactors = [] }: SetCookieHeaders & Partial<RequestedSecondFactor>,
  { method, http }: { method: SignInMethod; http: HttpRequestDetails },
) {
  const description = await describeSession(deps, toCookieHeader(setCookie), { needsSecondFactor, secondFactors })
  if (description.person) await deps.signInAudit.recordStart(toPerson(description.person), method, http)
  return [description, { 'set-cookie': setCookie }] as const
}

const toPerson = ({ id, email }: { id: string; email: string }) => ({ id: id as Id<'per'>, email })

export const toBrowser = ({ cookieHeader, userAgent, ipAddress }: HttpRequestDetails): Browser => ({
  cookieHeader,
  userAgent,
  coarseNetwork: toCoarseNetwork(ipAddress),
})
