/** Clients that send a byte a second and never finish, to exhaust connections and memory (slowloris). */
import { formatRawRequest, sendRawBytes, type TimedResponse } from '../../testing/harness/raw-http.ts'

export interface SlowRequest {
  name: string
  firstBytes: Buffer | string
  /** Sent once a second afterwards. */
  drip: string
}

export function slowRequests(target: string, authorization: string): SlowRequest[] {
  const json = [authorization, 'Content-Type: application/json']
  const start = (framing: string, body = '') =>
    formatRawRequest({ method: 'POST', target, headers: json, framing: [framing], body })
  return [
    { name: 'a slow body', firstBytes: start('Content-Length: 1000'), drip: ' ' },
    { name: 'a body that stops', firstBytes: start('Content-Length: 1000', '{'), drip: '' },
    { name: 'slow chunks', firstBytes: start('Transfer-Encoding: chunked'), drip: '1\r\n \r\n' },
    { name: 'a chunk of 4 GiB', firstBytes: start('Transfer-Encoding: chunked', 'ffffffff\r\n'), drip: ' ' },
    { name: 'slow headers', firstBytes: 'GET /v2/me HTTP/1.1\r\n', drip: 'a: b\r\n' },
    { name: 'a slow first line', firstBytes: 'GET /', drip: 'x' },
    { name: 'empty lines', firstBytes: '\r\n'.repeat(10_000), drip: '\r\n' },
    { name: 'nothing at all', firstBytes: '', drip: '' },
  ]
}

export const sendSlowly = (
  apiUrl: string,
  { firstBytes, drip }: SlowRequest,
  withinSeconds: number,
): Promise<TimedResponse> => sendRawBytes(apiUrl, firstBytes, { drip, withinSeconds })
