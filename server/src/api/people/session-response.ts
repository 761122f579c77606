import Type, { type Static } from 'typebox'
import type { PersonStore } from '../../people/person-store.ts'
import type { SessionManager, SetCookieHeaders } from '../../people/session-manager.ts'
import type { Id } from '../../platform/ids.ts'
import { recentlyAuthenticatedUntil } from '../authenticate-session.ts'
import type { HttpRequestDetails } from '../route.ts'
import { DateTime, nullable } from '../schemas.ts'
import type { SignInAudit, SignInMethod } from './sign-in-audit.ts'

export interface SessionDeps {
  sessions: SessionManager
  people: PersonStore
  /** Whether invitations are also sent by email. */
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
      }),
      { description: 'The signed-in person. Null if no one is signed in.' },
    ),
    recentlyAuthenticatedUntil: nullable(
      DateTime(
        'Time until which this session may perform actions that require a recent sign-in, such as creating an API key. ' +
          'Null if no one is signed in.',
      ),
    ),
    needsFirstOwner: Type.Boolean({
      description:
        'Whether the instance has no operator yet, so that the first owner has to be created. False if someone is signed in.',
    }),
    canSendEmail: Type.Boolean({
      description: 'Whether this instance can send email. If it can, invitations are sent by email as well.',
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
        },
        recentlyAuthenticatedUntil: '2026-01-31T12:10:00.000Z',
        needsFirstOwner: false,
        canSendEmail: true,
        providers: [{ id: 'oidc', name: 'Example SSO' }],
      },
    ],
  },
)

export async function describeSession(
  { sessions, people, canSendEmail }: SessionDeps,
  cookie: string,
): Promise<Static<typeof SessionSchema>> {
  const session = await sessions.find(cookie)
  return {
    person: session?.person ?? null,
    recentlyAuthenticatedUntil: session ? recentlyAuthenticatedUntil(session).toISOString() : null,
    needsFirstOwner: session === undefined && !(await people.hasOperator()),
    canSendEmail,
    providers: sessions.providers,
  }
}

/** Body and headers of the response to a request that signed a person in. */
export async function signedInResponse(
  deps: SessionDeps,
  { setCookie }: SetCookieHeaders,
  { method, http }: { method: SignInMethod; http: HttpRequestDetails },
) {
  const description = await describeSession(deps, toCookieHeader(setCookie))
  if (description.person) await deps.signInAudit.recordStart(toPerson(description.person), method, http)
  return [description, { 'set-cookie': setCookie }] as const
}

/** The cookies as the browser sends them with its next request. */
export const toCookieHeader = (setCookie: readonly string[]): string =>
  setCookie.map((header) => header.split(';', 1)[0]).join('; ')

const toPerson = ({ id, email }: { id: string; email: string }) => ({ id: id as Id<'per'>, email })
