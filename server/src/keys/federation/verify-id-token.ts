import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { allowedAlgorithms } from './decode-id-token.ts'
import { TokenRejection } from './token-rejection.ts'

export interface VerifiedIdToken {
  claims: Readonly<Record<string, unknown>>
  expiresAt: Date
}

/** GitLab issues the token at the start of the job, and the job may reach the exchange much later. */
const maxAgeSeconds = 3_600

/** Between the clocks of the issuer and this machine. */
const clockToleranceSeconds = 10

export async function verifyIdToken(
  token: string,
  findKey: JWTVerifyGetKey,
  { issuer, audience }: { issuer: string; audience: string },
): Promise<VerifiedIdToken> {
  const { payload } = await jwtVerify(token, findKey, {
    issuer,
    audience,
    algorithms: allowedAlgorithms,
    requiredClaims: ['iss', 'aud', 'sub', 'iat', 'exp'],
    maxTokenAge: maxAgeSeconds,
    clockTolerance: clockToleranceSeconds,
  }).catch((error: unknown) => {
    throw toRejection(error)
  })
  const expiresAt = readExpiry(payload)
  if (!(expiresAt > new Date())) throw new TokenRejection('expired')
  return { claims: payload, expiresAt }
}

/** A year from now at most: a date far in the future would not be a valid date. */
function readExpiry({ exp = 0 }: JWTPayload): Date {
  const lastSecond = Date.now() / 1000 + 365 * 86_400
  return new Date(Math.min(exp, lastSecond) * 1000)
}

function toRejection(cause: unknown): unknown {
  if (cause instanceof errors.JWTExpired)
    return new TokenRejection(cause.claim === 'iat' ? 'too_old' : 'expired', { cause })
  if (cause instanceof errors.JWTClaimValidationFailed) {
    const { claim } = cause
    const isEarly = cause.reason === 'check_failed' && (claim === 'nbf' || claim === 'iat')
    if (isEarly) return new TokenRejection('not_yet_valid', { cause })
    return new TokenRejection(cause.reason === 'missing' ? 'claim_missing' : 'claims_differ', {
      detail: { claim },
      cause,
    })
  }
  if (cause instanceof errors.JWKSNoMatchingKey || cause instanceof errors.JWKSMultipleMatchingKeys)
    return new TokenRejection('signing_key_unknown', { cause })
  // Also keys that are too short or cannot be imported: `jose` and Web Crypto throw several kinds of errors for them.
  if (cause instanceof errors.JOSEError || cause instanceof TypeError || cause instanceof DOMException)
    return new TokenRejection('signature_invalid', { cause })
  return cause
}
