/** Resolves the session cookie to a person, and checks the person's role in a project. */
import type { FastifyRequest } from 'fastify'
import type { Scope } from '../keys/scopes.ts'
import type { PersonStore } from '../people/person-store.ts'
import { hasPassedSecondFactor, type LiveSession, sessionCookieName } from '../people/session.ts'
import type { SessionManager } from '../people/session-manager.ts'
import { Problem } from '../platform/http/problem.ts'
import { isId } from '../platform/ids.ts'
import { type Caller, scopesByRole } from './caller.ts'
import { projectNotFoundProblem } from './project-not-found.ts'

const recentMs = 10 * 60_000

export const hasSessionCookie = ({ headers }: FastifyRequest): boolean =>
  headers.cookie?.includes(`${sessionCookieName}=`) === true

export async function findSession(
  { headers }: FastifyRequest,
  sessions: SessionManager,
): Promise<LiveSession | undefined> {
  return headers.cookie === undefined ? undefined : sessions.find(headers.cookie)
}

export async function requireSession(request: FastifyRequest, sessions: SessionManager): Promise<LiveSession> {
  const session = await findSession(request, sessions)
  if (!session) throw new Problem('unauthenticated', 'Your session has ended. Sign in again.')
  return session
}

export async function authorizeMember(
  request: FastifyRequest,
  session: LiveSession,
  scope: Scope,
  people: PersonStore,
): Promise<Caller & { kind: 'person' }> {
  const { projectId = '' } = request.params as { projectId?: string }
  const member = isId('prj', projectId) ? await people.findMembership(projectId, session.person.id) : undefined
  if (member === undefined) throw projectNotFoundProblem()
  const { role } = member
  if (member.requiresSecondFactor) assertSecondFactor(session, 'project')
  if (!scopesByRole[role].includes(scope)) {
    const required = (['viewer', 'editor', 'owner'] as const).find((each) => scopesByRole[each].includes(scope))
    throw new Problem('insufficient_role', `This requires the role ${required}. Your role in the project is ${role}.`)
  }
  return { kind: 'person', id: session.person.id, session, role }
}

export function assertSecondFactor(session: LiveSession, requiredBy: 'instance' | 'project'): void {
  if (!hasPassedSecondFactor(session))
    throw new Problem(
      'second_factor_required',
      `This ${requiredBy} requires a second factor. Add a passkey or an authenticator app on your account page, then try again.`,
    )
}

export const recentlyAuthenticatedUntil = ({ authenticatedAt }: LiveSession): Date =>
  new Date(authenticatedAt.getTime() + recentMs)

/** For requests that need it only if they destroy something. An API key has no sign-in. */
export function requireRecentSignInOf(caller: Caller): void {
  if (caller.kind === 'person') requireRecentSignIn(caller.session)
}

export function requireRecentSignIn(session: LiveSession): void {
  if (recentlyAuthenticatedUntil(session) <= new Date())
    throw new Problem(
      'reauthentication_required',
      'Sign in again to do this: it requires a sign-in within the last 10 minutes.',
    )
}
