/** Clients that take for ever, each a byte a second, to keep connections and memory from others. */
import { type Exchange, exchange, rawRequest } from './raw-http.ts'

export interface SlowRequest {
  name: string
  begins: Buffer | string
  /** Sent once a second after that. */
  drip: string
}

export function slowRequests(target: string, authorization: string): SlowRequest[] {
  const json = [authorization, 'Content-Type: application/json']
  const begun = (framing: string, body = '') =>
    rawRequest({ method: 'POST', target, headers: json, framing: [framing], body })
  return [
    { name: 'a slow body', begins: begun('Content-Length: 1000'), drip: ' ' },
    { name: 'a body that stops', begins: begun('Content-Length: 1000', '{'), drip: '' },
    { name: 'slow chunks', begins: begun('Transfer-Encoding: chunked'), drip: '1\r\n \r\n' },
    { name: 'a chunk of 4 GiB', begins: begun('Transfer-Encoding: chunked', 'ffffffff\r\n'), drip: ' ' },
    { name: 'slow headers', begins: 'GET /v2/me HTTP/1.1\r\n', drip: 'a: b\r\n' },
    { name: 'a slow first line', begins: 'GET /', drip: 'x' },
    { name: 'empty lines', begins: '\r\n'.repeat(10_000), drip: '\r\n' },
    { name: 'nothing at all', begins: '', drip: '' },
  ]
}

export const sendSlowly = (apiUrl: string, { begins, drip }: SlowRequest, withinSeconds: number): Promise<Exchange> =>
  exchange(apiUrl, begins, { drip, withinSeconds })
