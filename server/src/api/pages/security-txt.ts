/** `/.well-known/security.txt` (RFC 9116): where researchers report a vulnerability of this instance. */
import type { SecurityContactConfig } from '../../platform/config.ts'
import type { HttpServer } from '../../platform/http/http-server.ts'
import { Problem } from '../../platform/http/problem.ts'

const path = '/.well-known/security.txt'

/** RFC 9116 recommends less than a year. */
const validDays = 364

export interface SecurityTxtDeps {
  publicUrl: string
  /** Undefined: not configured. An instance does not invent a contact. */
  securityContact: SecurityContactConfig | undefined
}

export function addSecurityTxt(server: HttpServer, { publicUrl, securityContact }: SecurityTxtDeps): void {
  const { origin, protocol } = new URL(publicUrl)
  server.get(path, { config: { access: 'public' } }, async (_request, reply) => {
    if (!securityContact) throw new Problem('not_found', 'This instance has no security contact.')
    const lines = [
      ...securityContact.contacts.map((contact) => `Contact: ${contact}`),
      `Expires: ${expiry(new Date())}`,
      // The RFC requires HTTPS, which an instance on loopback does not have.
      ...(protocol === 'https:' ? [`Canonical: ${origin}${path}`] : []),
      ...(securityContact.policyUrl ? [`Policy: ${securityContact.policyUrl}`] : []),
    ]
    return reply
      .header('cache-control', 'public, max-age=86400')
      .type('text/plain; charset=utf-8')
      .send(`${lines.join('\n')}\n`)
  })
}

/** The same for all requests of a day, so that replicas and caches agree. */
function expiry(now: Date): string {
  const day = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + validDays)
  return new Date(day).toISOString()
}
