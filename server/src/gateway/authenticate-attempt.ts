/** Authenticates callers: a runner by its runner token, an attempt by its attempt token. */
import type { FastifyRequest } from 'fastify'
import type { AttemptStore, LiveAttempt } from '../jobs/attempt-store.ts'
import { hashKey, type KeyPrefix, type KeySecret, parseKeyWithPrefix } from '../keys/key-format.ts'
import { Problem } from '../platform/http/problem.ts'

export function parseBearerKey<Prefix extends KeyPrefix>(request: FastifyRequest, prefix: Prefix): KeySecret<Prefix> {
  const token = request.headers.authorization?.match(/^bearer +(\S+)$/i)?.[1]
  const key = token === undefined ? undefined : parseKeyWithPrefix(prefix, token)
  if (key === undefined) throw invalidTokenProblem()
  return key
}

export const invalidTokenProblem = () =>
  new Problem('unauthenticated', 'The token is not valid, or its attempt has ended.')

/** Reads the attempt on every call, so that the end of an attempt takes effect at its next call. */
export async function requireLiveAttempt(request: FastifyRequest, attempts: AttemptStore): Promise<LiveAttempt> {
  const attempt = await attempts.findLive(hashKey(parseBearerKey(request, 'colophon_attempt_')))
  if (!attempt) throw invalidTokenProblem()
  return attempt
}
