/** From the `Authorization` header to a key, in the contract's order of checks: key, network, project, scope. */
import type { FastifyRequest } from 'fastify'
import { parseKey } from '../keys/key-format.ts'
import { isAddressAllowed } from '../keys/key-rules.ts'
import type { Key, KeyStore } from '../keys/key-store.ts'
import { Problem } from '../platform/http/problem.ts'
import { noSuchProject } from './no-such-project.ts'
import type { RouteAccess } from './route.ts'

export async function authenticate(
  request: FastifyRequest,
  access: Exclude<RouteAccess, 'public' | 'session' | 'operator'>,
  keys: KeyStore,
): Promise<Key> {
  const key = await findKey(request, keys)
  if (!isAddressAllowed(request.ip, key.allowedNetworks)) {
    throw new Problem('ip_not_allowed', `This API key may not be used from ${request.ip}.`)
  }
  if (access !== 'any-key') {
    const { projectId } = request.params as { projectId?: string }
    if (projectId !== key.projectId) throw noSuchProject()
    if (!key.scopes.includes(access)) throw new Problem('insufficient_scope', `This API key lacks the scope ${access}.`)
  }
  await keys
    .noteUse(key)
    .catch((error: unknown) => request.log.warn({ error: String(error) }, 'could not note the use of a key'))
  return key
}

async function findKey(request: FastifyRequest, keys: KeyStore): Promise<Key> {
  const [header, ...others] = authorizationHeaders(request)
  if (header === undefined) throw unauthenticated('Send your API key as `Authorization: Bearer <key>`.')
  if (others.length > 0) throw unauthenticated('Send one Authorization header, not several.')
  const token = header.match(/^bearer +(\S+)$/i)?.[1]
  if (token === undefined) throw unauthenticated('The Authorization header has to be `Bearer <key>`.')
  const secret = parseKey('colophon_', token)
  if (secret === undefined)
    throw unauthenticated('This is not an API key of Colophon, or not a whole one: copy it again.')
  const key = await keys.findBySecret(secret)
  if (!key) throw unauthenticated('This API key is not known here.')
  if (key.revokedAt) throw unauthenticated('This API key was revoked.')
  if (key.expiresAt && key.expiresAt <= new Date()) throw unauthenticated('This API key has expired.')
  return key
}

/** Node keeps only the first of several; who sends two wants one of them to be overlooked. */
function authorizationHeaders({ raw: { rawHeaders } }: FastifyRequest): string[] {
  return rawHeaders.filter(
    (_value, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'authorization',
  )
}

const unauthenticated = (detail: string) => new Problem('unauthenticated', detail)

/** The body was long in coming, or the answer is a long stream, and the key did not live to see its end. */
export const endedMeanwhile = () => unauthenticated('This API key was revoked, or has expired.')
