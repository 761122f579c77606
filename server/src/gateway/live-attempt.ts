/** Who calls: a runner, or the try at a turn that a runner was given. */
import type { FastifyRequest } from 'fastify'
import type { AttemptStore, LiveAttempt } from '../jobs/attempt-store.ts'
import { hashOfKey, type Key, type KeyPrefix, parseKey } from '../keys/key-format.ts'
import { Problem } from '../platform/http/problem.ts'

export function bearerKey<Prefix extends KeyPrefix>(request: FastifyRequest, prefix: Prefix): Key<Prefix> {
  const token = request.headers.authorization?.match(/^bearer +(\S+)$/i)?.[1]
  const key = token === undefined ? undefined : parseKey(prefix, token)
  if (key === undefined) throw unknownToken()
  return key
}

export const unknownToken = () => new Problem('unauthenticated', 'This token is not known here.')

/** Asked at every call: that is what makes the end of a try hold at the next one. */
export async function liveAttempt(request: FastifyRequest, attempts: AttemptStore): Promise<LiveAttempt> {
  const attempt = await attempts.findLive(hashOfKey(bearerKey(request, 'colophon_attempt_')))
  if (!attempt) throw unknownToken()
  return attempt
}
