import Type, { type Static } from 'typebox'
import type { PersonStore } from '../../people/person-store.ts'
import type { Cookies, Sessions } from '../../people/sessions.ts'
import { recentlyAuthenticatedUntil } from '../authenticate-person.ts'
import { DateTime, nullable } from '../schemas.ts'

export interface SessionDeps {
  sessions: Sessions
  people: PersonStore
  /** Whether invitations go out by mail. */
  canSendEmail: boolean
}

export const SessionSchema = Type.Object(
  {
    person: nullable(
      Type.Object({
        id: Type.String(),
        email: Type.String(),
        name: Type.String(),
        isOperator: Type.Boolean({ description: 'Runs the installation: makes projects, adds models.' }),
      }),
      { description: 'Null: nobody is signed in.' },
    ),
    recentlyAuthenticatedUntil: nullable(
      DateTime('Until when this session may do what wants a fresh one, like making an API key.'),
    ),
    needsFirstOwner: Type.Boolean({ description: 'Nobody runs the installation yet.' }),
    canSendEmail: Type.Boolean({ description: 'Invitations go out by mail as well.' }),
    providers: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
      description: 'Who else can say who somebody is.',
    }),
  },
  { $id: 'Session' },
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

/** The answer to whoever has just signed in. */
export async function signedIn(deps: SessionDeps, { setCookie }: Cookies) {
  const cookie = setCookie.map((one) => one.split(';', 1)[0]).join('; ')
  return [await describeSession(deps, cookie), { 'set-cookie': setCookie }] as const
}
