/** Authenticates callers: a runner by its runner token, an attempt by its attempt token. */
import type { FastifyRequest } from 'fastify'
import type { AttemptStore, LiveAttempt } from '../jobs/attempt-store.ts'
import type { Runner, RunnerStore } from '../jobs/runner-store.ts'
import { hashKey, type KeyPrefix, type KeySecret, parseKeyWithPrefix } from '../keys/key-format.ts'
import { Problem } from '../platform/http/problem.ts'
import { setTraceParent } from '../platform/http/trace-requests.ts'

export async function requireRunner(request: FastifyRequest, runners: RunnerStore): Promise<Runner> {
  const runner = await runners.findByTokenHash(hashKey(parseBearerKey(request, 'colophon_runner_')))
  if (!runner) throw invalidTokenProblem()
  return runner
}

/** Reads the attempt on every call, so that the end of an attempt takes effect at its next call. */
export async function requireLiveAttempt(request: FastifyRequest, attempts: AttemptStore): Promise<LiveAttempt> {
  const attempt = await attempts.findLive(hashAttemptToken(request))
  if (!attempt) throw invalidTokenProblem()
  setTraceParent(request, attempt.traceparent)
  return attempt
}

export const hashAttemptToken = (request: FastifyRequest) => hashKey(parseBearerKey(request, 'colophon_attempt_'))

function parseBearerKey<Prefix extends KeyPrefix>(request: FastifyRequest, prefix: Prefix): KeySecret<Prefix> {
  const token = request.headers.authorization?.match(/^bearer +(\S+)$/i)?.[1]
  const key = token === undefined ? undefined : parseKeyWithPrefix(prefix, token)
  if (key === undefined) throw invalidTokenProblem()
  return key
}

const invalidTokenProblem = () => new Problem('unauthenticated', 'The token is not valid, or its attempt has ended.')

/** For runners, which stop working on the turn when they get this response. */
export const attemptLostProblem = () =>
  new Problem('not_found', 'This attempt has ended, or another runner has the turn. Stop working on it.')
