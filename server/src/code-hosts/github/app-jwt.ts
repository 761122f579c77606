import { sign } from 'node:crypto'

const issuedBeforeSeconds = 60 // clocks differ, and GitHub rejects tokens issued in the future
const expiresAfterSeconds = 540 // GitHub allows ten minutes at most

/** Authenticates the App itself, for long enough to request a token for one repository. */
export function createAppJwt(
  { appId, privateKeyPem }: { appId: number; privateKeyPem: string },
  now = Date.now(),
): string {
  const seconds = Math.floor(now / 1000)
  const claims = { iat: seconds - issuedBeforeSeconds, exp: seconds + expiresAfterSeconds, iss: String(appId) }
  const signed = [{ alg: 'RS256', typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  const signature = sign('sha256', Buffer.from(signed.join('.')), privateKeyPem).toString('base64url')
  return [...signed, signature].join('.')
}
