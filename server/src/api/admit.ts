/** Lets a request in, or refuses it, by what its route declares. */
import type { FastifyRequest } from 'fastify'
import type { Actor } from '../audit/audit-store.ts'
import type { KeyStore } from '../keys/key-store.ts'
import type { PersonStore } from '../people/person-store.ts'
import type { LiveSession } from '../people/session.ts'
import type { Sessions } from '../people/sessions.ts'
import { Problem } from '../platform/http/problem.ts'
import { authenticate, endedMeanwhile } from './authenticate.ts'
import { callerOf, hasSessionCookie, refuseStale, requireSession } from './authenticate-person.ts'
import type { Route } from './route.ts'
import { refuseCrossSite } from './same-site.ts'

export interface AdmitDeps {
  keys: KeyStore
  sessions: Sessions
  people: PersonStore
  publicOrigin: string
}

export interface Admitted {
  /** Whose reads are counted together; undefined: a route for anybody. */
  id: string | undefined
  /** What the handler is given besides the request itself. */
  who: object
  /** Throws when whoever asked may no longer. */
  recheck(): Promise<void>
}

export async function admit(request: FastifyRequest, route: Route, deps: AdmitDeps): Promise<Admitted> {
  const { access } = route
  const isChange = route.method !== 'GET'
  if (access === 'public') {
    if (isChange && !route.takesCrossSite) refuseCrossSite(request, deps.publicOrigin)
    return { id: undefined, who: {}, recheck: async () => {} }
  }
  if (access === 'session' || access === 'operator') {
    const enter = async () => {
      const session = await requireSession(request, deps.sessions)
      if (isChange) refuseCrossSite(request, deps.publicOrigin)
      if (access === 'operator' && !session.person.isOperator)
        throw new Problem('insufficient_role', 'Only those who run the installation may do this.')
      return { session }
    }
    return ofSession(request, route, enter)
  }
  if (access !== 'any-key' && request.headers.authorization === undefined && hasSessionCookie(request)) {
    const { projectId } = request.params as { projectId: string }
    const enter = async () => {
      const session = await requireSession(request, deps.sessions)
      if (isChange) refuseCrossSite(request, deps.publicOrigin)
      return { session, projectId, caller: await callerOf(request, session, access, deps.people) }
    }
    return ofSession(request, route, enter)
  }
  const key = await authenticate(request, access, deps.keys)
  const actor: Actor = { kind: 'key', keyId: key.id, requestId: request.id }
  const caller = { kind: 'key', id: key.id, key }
  return {
    id: key.id,
    who: { key, actor, caller, projectId: key.projectId },
    async recheck() {
      if (!(await deps.keys.isLive(key))) throw endedMeanwhile()
    },
  }
}

async function ofSession(
  request: FastifyRequest,
  route: Route,
  enter: () => Promise<{ session: LiveSession }>,
): Promise<Admitted> {
  const who = await enter()
  const { session } = who
  if (route.wantsFreshSession) refuseStale(session)
  const actor: Actor = { kind: 'person', email: session.person.email, requestId: request.id }
  return {
    id: session.person.id,
    who: { ...who, actor },
    recheck: async () => void (await enter()), // the role too: it may have been taken away meanwhile
  }
}
