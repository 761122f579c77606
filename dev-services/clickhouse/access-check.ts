/** Access is limited to clients on this machine that know the password. Web pages in a browser are rejected. */
import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Returns the reason for rejecting a request, or undefined. */
export function rejectionReason(request: IncomingMessage, password: string): string | undefined {
  const { origin, host = '' } = request.headers
  if (origin !== undefined) return 'Requests from web pages are rejected.'
  if (!/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host)) return 'Only requests to localhost are accepted.'
  if (request.url?.startsWith('/ping')) return undefined
  return isSame(passwordOf(request), password)
    ? undefined
    : 'Code: 516. DB::Exception: default: Authentication failed. (AUTHENTICATION_FAILED)'
}

function passwordOf({ headers }: IncomingMessage): string {
  const key = headers['x-clickhouse-key']
  if (typeof key === 'string') return key
  const basic = headers.authorization?.match(/^basic +(\S+)$/i)?.[1]
  return basic
    ? Buffer.from(basic, 'base64')
        .toString()
        .replace(/^[^:]*:/, '')
    : ''
}

function isSame(actual: string, expected: string): boolean {
  const a = Buffer.from(actual)
  const b = Buffer.from(expected)
  return a.length === b.length && timingSafeEqual(a, b)
}
