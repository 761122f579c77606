/** Resolves the `Authorization` header to an API key. The API guarantees the order of the checks: key, network, project, scope. */
import type { FastifyRequest } from 'fastify'
import { parseKeyWithPrefix } from '../keys/key-format.ts'
import { isAddressAllowed } from '../keys/key-rules.ts'
import type { ApiKeyRecord, KeyStore } from '../keys/key-store.ts'
import { Problem } from '../platform/http/problem.ts'
import { projectNotFoundProblem } from './project-not-found.ts'
import type { RouteAccess } from './route.ts'

/** Throws a problem if the key may not be used for this request. */
export async function authorizeKey(
  request: FastifyRequest,
  key: ApiKeyRecord,
  access: Exclude<RouteAccess, 'public' | 'session' | 'operator'>,
  keys: KeyStore,
): Promise<void> {
  if (!isAddressAllowed(request.ip, key.allowedNetworks)) {
    throw new Problem('ip_not_allowed', `This API key cannot be used from ${request.ip}.`)
  }
  if (access !== 'any-key') {
    const { projectId } = request.params as { projectId?: string }
    if (projectId !== key.projectId) throw projectNotFoundProblem()
    if (!key.scopes.includes(access)) throw new Problem('insufficient_scope', `This API key lacks the scope ${access}.`)
  }
  await keys
    .recordUse(key)
    .catch((error: unknown) => request.log.warn({ error: String(error) }, 'could not record the use of an API key'))
}

/** Throws a problem if the request has no valid key. */
export async function findKey(request: FastifyRequest, keys: KeyStore): Promise<ApiKeyRecord> {
  const [header, ...others] = authorizationHeaders(request)
  if (header === undefined) throw unauthenticated('Send your API key as `Authorization: Bearer <key>`.')
  if (others.length > 0) throw unauthenticated('Send one Authorization header, not several.')
  const token = header.match(/^bearer +(\S+)$/i)?.[1]
  if (token === undefined) throw unauthenticated('The Authorization header must be `Bearer <key>`.')
  const secret = parseKeyWithPrefix('colophon_', token)
  if (secret === undefined) throw unauthenticated('This is not a complete Colophon API key. Copy the key again.')
  const key = await keys.findBySecret(secret)
  if (!key) throw unauthenticated('This API key does not exist.')
  if (key.revokedAt) throw unauthenticated('This API key was revoked.')
  if (key.expiresAt && key.expiresAt <= new Date()) throw unauthenticated('This API key has expired.')
  return key
}

/** Node keeps only the first of several headers. Two headers may be an attempt to hide one of them from a check. */
function authorizationHeaders({ raw: { rawHeaders } }: FastifyRequest): string[] {
  return rawHeaders.filter(
    (_value, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'authorization',
  )
}

const unauthenticated = (detail: string) => new Problem('unauthenticated', detail)

/** For a key that became invalid while a slow request body arrived or a long response was streamed. */
export const keyNoLongerValidProblem = () => unauthenticated('This API key was revoked or has expired.')
