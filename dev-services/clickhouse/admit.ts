/** Who may ask: whoever knows the password, from this machine, and never a web page in a browser on it. */
import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** The reason for turning a request away, or undefined. */
export function refusalOf(request: IncomingMessage, password: string): string | undefined {
  const { origin, host = '' } = request.headers
  if (origin !== undefined) return 'Requests from web pages are not answered.'
  if (!/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host))
    return 'Only requests to this machine by its own name are answered.'
  if (request.url?.startsWith('/ping')) return undefined
  return isSame(givenPassword(request), password)
    ? undefined
    : 'Code: 516. DB::Exception: default: Authentication failed. (AUTHENTICATION_FAILED)'
}

function givenPassword({ headers }: IncomingMessage): string {
  const key = headers['x-clickhouse-key']
  if (typeof key === 'string') return key
  const basic = headers.authorization?.match(/^basic +(\S+)$/i)?.[1]
  return basic
    ? Buffer.from(basic, 'base64')
        .toString()
        .replace(/^[^:]*:/, '')
    : ''
}

function isSame(given: string, wanted: string): boolean {
  const a = Buffer.from(given)
  const b = Buffer.from(wanted)
  return a.length === b.length && timingSafeEqual(a, b)
}
