import { createSign } from 'node:crypto'

/** What an App signs to be known. */
export function appJwt(
  issuer: string | number,
  privateKeyPem: string,
  { issuedSecondsAgo = 60, lifeSeconds = 600 }: { issuedSecondsAgo?: number; lifeSeconds?: number } = {},
): string {
  const iat = Math.floor(Date.now() / 1000) - issuedSecondsAgo
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iat, exp: iat + lifeSeconds, iss: String(issuer) })}`
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKeyPem, 'base64url')}`
}
