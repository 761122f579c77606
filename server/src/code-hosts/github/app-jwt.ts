import { sign } from 'node:crypto'

const secondsBack = 60 // GitHub refuses what comes from its future: clocks differ
const secondsAhead = 540 // it takes ten minutes at most

/** With this an App shows that it is itself, for as long as it takes to get a token for one repository. */
export function appJwt({ appId, privateKeyPem }: { appId: number; privateKeyPem: string }, now = Date.now()): string {
  const seconds = Math.floor(now / 1000)
  const claims = { iat: seconds - secondsBack, exp: seconds + secondsAhead, iss: String(appId) }
  const signed = [{ alg: 'RS256', typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  const signature = sign('sha256', Buffer.from(signed.join('.')), privateKeyPem).toString('base64url')
  return [...signed, signature].join('.')
}
