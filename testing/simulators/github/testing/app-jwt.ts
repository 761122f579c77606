import { createSign } from 'node:crypto'

/** The JWT with which an App authenticates. */
export function appJwt(
  issuer: string | number,
  privateKeyPem: string,
  { issuedSecondsAgo = 60, lifetimeSeconds = 600 }: { issuedSecondsAgo?: number; lifetimeSeconds?: number } = {},
): string {
  const iat = Math.floor(Date.now() / 1000) - issuedSecondsAgo
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const unsigned = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iat, exp: iat + lifetimeSeconds, iss: String(issuer) })}`
  return `${unsigned}.${createSign('RSA-SHA256').update(unsigned).sign(privateKeyPem, 'base64url')}`
}
