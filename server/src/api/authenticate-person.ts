/** From the session's cookie to a person, and from their role in a project to what they may do there. */
import type { FastifyRequest } from 'fastify'
import type { Scope } from '../keys/scopes.ts'
import type { PersonStore } from '../people/person-store.ts'
import { type LiveSession, sessionCookieName } from '../people/session.ts'
import type { Sessions } from '../people/sessions.ts'
import { Problem } from '../platform/http/problem.ts'
import { isId } from '../platform/ids.ts'
import { type Caller, scopesOfRole } from './caller.ts'
import { noSuchProject } from './no-such-project.ts'

const freshMs = 10 * 60_000

export const hasSessionCookie = ({ headers }: FastifyRequest): boolean =>
  headers.cookie?.includes(`${sessionCookieName}=`) === true

export async function findSession({ headers }: FastifyRequest, sessions: Sessions): Promise<LiveSession | undefined> {
  return headers.cookie === undefined ? undefined : sessions.find(headers.cookie)
}

export async function requireSession(request: FastifyRequest, sessions: Sessions): Promise<LiveSession> {
  const session = await findSession(request, sessions)
  if (!session) throw new Problem('unauthenticated', 'Your session has ended: sign in again.')
  return session
}

export async function callerOf(
  request: FastifyRequest,
  session: LiveSession,
  scope: Scope,
  people: PersonStore,
): Promise<Caller & { kind: 'person' }> {
  const { projectId = '' } = request.params as { projectId?: string }
  const role = isId('prj', projectId) ? await people.roleIn(projectId, session.person.id) : undefined
  if (role === undefined) throw noSuchProject()
  if (!scopesOfRole[role].includes(scope)) {
    const enough = (['viewer', 'editor', 'owner'] as const).find((other) => scopesOfRole[other].includes(scope))
    throw new Problem('insufficient_role', `This takes the role of ${enough}, and yours in the project is ${role}.`)
  }
  return { kind: 'person', id: session.person.id, session, role }
}

export const recentlyAuthenticatedUntil = ({ createdAt }: LiveSession): Date => new Date(createdAt.getTime() + freshMs)

export function refuseStale(session: LiveSession): void {
  if (recentlyAuthenticatedUntil(session) <= new Date())
    throw new Problem(
      'reauthentication_required',
      'Sign in once more to do this: it needs a session of the last 10 minutes.',
    )
}
