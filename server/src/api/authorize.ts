/** Decides whether a caller may use a route, by the access that the route declares. */
import type { FastifyRequest } from 'fastify'
import type { Actor, AuditedRequest } from '../audit/audit-store.ts'
import type { KeyStore } from '../keys/key-store.ts'
import type { PersonStore } from '../people/person-store.ts'
import type { LiveSession } from '../people/session.ts'
import type { SessionManager } from '../people/session-manager.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'
import { authorizeKey, findKey, keyNoLongerValidProblem } from './authenticate-key.ts'
import {
  assertSecondFactor,
  authorizeMember,
  hasSessionCookie,
  requireRecentSignIn,
  requireSession,
} from './authenticate-session.ts'
import type { DenialAudit } from './denial-audit.ts'
import type { Route } from './route.ts'
import { assertSameOrigin } from './same-origin.ts'

export interface AuthorizeDeps {
  keys: KeyStore
  sessions: SessionManager
  people: PersonStore
  publicOrigin: string
  /** Whether everyone who signs in with a password needs a second factor. */
  requiresSecondFactor: boolean
  denials: DenialAudit
}

export interface AuthorizedRequest {
  /** The caller's id, by which reads are rate limited. Undefined on public routes. */
  callerId: string | undefined
  /** As in audit entries. Undefined on public routes. */
  actor: Actor | undefined
  /** Passed to the handler in addition to the request. */
  context: object
  /** Throws if the caller has lost access in the meantime. */
  recheckAccess(): Promise<void>
}

/** What is authorized of a route. */
export type AuthorizedRoute = Pick<
  Route,
  'method' | 'url' | 'access' | 'allowsCrossOrigin' | 'requiresRecentSignIn' | 'allowsMissingSecondFactor'
>

export async function authorize(
  request: FastifyRequest,
  route: AuthorizedRoute,
  deps: AuthorizeDeps,
): Promise<AuthorizedRequest> {
  const { access } = route
  const isChange = route.method !== 'GET'
  if (access === 'public') {
    if (isChange && !route.allowsCrossOrigin) assertSameOrigin(request, deps.publicOrigin)
    return { callerId: undefined, actor: undefined, context: {}, recheckAccess: async () => {} }
  }
  if (access === 'session' || access === 'operator') {
    const check = async () => {
      const session = await requireSession(request, deps.sessions)
      if (isChange) assertSameOrigin(request, deps.publicOrigin)
      if (deps.requiresSecondFactor && !route.allowsMissingSecondFactor) assertSecondFactor(session, 'instance')
      if (access === 'operator' && !session.person.isOperator) {
        const problem = new Problem('insufficient_role', 'Only an operator of the instance can do this.')
        deps.denials.record('instance', toPersonActor(session, request), { route: describeRoute(route), problem })
        throw problem
      }
      return { session }
    }
    return admitSession(request, route, check)
  }
  if (access !== 'any-key' && request.headers.authorization === undefined && hasSessionCookie(request)) {
    const { projectId } = request.params as { projectId: string }
    const check = async () => {
      const session = await requireSession(request, deps.sessions)
      if (isChange) assertSameOrigin(request, deps.publicOrigin)
      if (deps.requiresSecondFactor) assertSecondFactor(session, 'instance')
      try {
        return { session, projectId, caller: await authorizeMember(request, session, access, deps.people) }
      } catch (error) {
        if (error instanceof Problem && error.code === 'insufficient_role')
          deps.denials.record(projectId as Id<'prj'>, toPersonActor(session, request), {
            route: describeRoute(route),
            problem: error,
          })
        throw error
      }
    }
    return admitSession(request, route, check)
  }
  const key = await findKey(request, deps.keys)
  const actor: Actor = { kind: 'key', keyId: key.id, ...describeRequest(request) }
  try {
    await authorizeKey(request, key, access, deps.keys)
  } catch (error) {
    if (error instanceof Problem)
      deps.denials.record(key.projectId, actor, { route: describeRoute(route), problem: error })
    throw error
  }
  const caller = { kind: 'key', id: key.id, key }
  return {
    callerId: key.id,
    actor,
    context: { key, actor, caller, projectId: key.projectId },
    async recheckAccess() {
      if (!(await deps.keys.isActive(key))) throw keyNoLongerValidProblem()
    },
  }
}

async function admitSession(
  request: FastifyRequest,
  route: AuthorizedRoute,
  check: () => Promise<{ session: LiveSession }>,
): Promise<AuthorizedRequest> {
  const who = await check()
  const { session } = who
  if (route.requiresRecentSignIn) requireRecentSignIn(session)
  const actor = toPersonActor(session, request)
  return {
    callerId: session.person.id,
    actor,
    context: { ...who, actor },
    recheckAccess: async () => void (await check()), // the role too: it may have been removed in the meantime
  }
}

const describeRequest = (request: FastifyRequest): AuditedRequest => ({
  requestId: request.id,
  ipAddress: request.ip ?? '',
})

const toPersonActor = ({ person }: LiveSession, request: FastifyRequest): Actor => ({
  kind: 'person',
  email: person.email,
  ...describeRequest(request),
})

const describeRoute = ({ method, url }: AuthorizedRoute): string => `${method} ${url}`
