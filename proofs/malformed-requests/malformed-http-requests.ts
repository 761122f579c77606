/** Requests that are barely HTTP, or HTTP that is meant to confuse parsers. */

import { formatRawRequest } from '../../testing/harness/raw-http.ts'
import { type ExpectedResponse, expectRejection } from '../judges/expected-response.ts'

export interface MalformedHttpRequest {
  name: string
  bytes: Buffer | string
  expected: ExpectedResponse
}

const invalid = expectRejection('invalid_request')
const tooLarge = expectRejection('too_large')
const notAllowed = expectRejection('method_not_allowed')
const unauthenticated = expectRejection('unauthenticated')

export function createMalformedHttpRequests(authorization: string): MalformedHttpRequest[] {
  const me = (name: string, headers: readonly string[], expected: ExpectedResponse): MalformedHttpRequest => ({
    name,
    bytes: formatRawRequest({ target: '/v2/me', headers: [authorization, ...headers] }),
    expected,
  })
  const lines = (name: string, text: string, expected: ExpectedResponse): MalformedHttpRequest => ({
    name,
    bytes: text,
    expected,
  })
  const rest = `Host: service\r\nConnection: close\r\n${authorization}\r\n\r\n`
  return [
    ...['OPTIONS', 'TRACE', 'PUT', 'PROPFIND', 'QUERY', 'PURGE', 'M-SEARCH'].map((method) =>
      lines(method, `${method} /v2/me HTTP/1.1\r\n${rest}`, notAllowed),
    ),
    ...['get', 'FOO', 'GET\t', '', 'G E T', '\0', 'GET,POST'].map((method) =>
      lines(`method ${JSON.stringify(method)}`, `${method} /v2/me HTTP/1.1\r\n${rest}`, invalid),
    ),
    lines('CONNECT', `CONNECT example.com:443 HTTP/1.1\r\n${rest}`, invalid),
    lines('OPTIONS *', `OPTIONS * HTTP/1.1\r\n${rest}`, notAllowed),
    lines('an absolute-form target', `GET http://elsewhere.example/v2/me HTTP/1.1\r\n${rest}`, 'accepted'),
    lines('HTTP/0.9', 'GET /v2/me\r\n\r\n', unauthenticated),
    lines('HTTP/1.0', `GET /v2/me HTTP/1.0\r\n${authorization}\r\n\r\n`, 'accepted'),
    ...['HTTP/1.2', 'HTTP/9.9', 'HTTP/1', 'HTTPS/1.1', 'http/1.1'].map((version) =>
      lines(version, `GET /v2/me ${version}\r\n${rest}`, invalid),
    ),
    // Node parses these as HTTP and responds with its own version.
    ...['HTTP/2.0', 'RTSP/1.0'].map((version) => lines(version, `GET /v2/me ${version}\r\n${rest}`, 'accepted')),
    lines('the HTTP/2 connection preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', invalid),
    { name: 'the start of a TLS handshake', bytes: Buffer.from('160301020001000001fc0303', 'hex'), expected: invalid },
    {
      name: 'random bytes',
      bytes: Buffer.from(Array.from({ length: 500 }, (_, index) => (index * 151) % 256)),
      expected: invalid,
    },
    lines('no Host', `GET /v2/me HTTP/1.1\r\nConnection: close\r\n${authorization}\r\n\r\n`, invalid),
    lines('a target with spaces', `GET /v2/me and more HTTP/1.1\r\n${rest}`, invalid),
    lines('a target without a slash', `GET v2/me HTTP/1.1\r\n${rest}`, invalid),
    me('an unknown Expect value', ['Expect: a miracle'], 'accepted'),
    me(
      'an upgrade to WebSocket',
      ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
      'accepted',
    ),
    me(
      'GET with the headers of an encoded body',
      ['Content-Type: x/y', 'Content-Encoding: br', 'Content-Length: 0'],
      'accepted',
    ),
    me('a method override header', ['X-HTTP-Method-Override: DELETE'], 'accepted'),
    me('two Authorization headers', [authorization], unauthenticated),
    me('a header with NUL', ['X: a\0b'], invalid),
    me('a header without a name', [': x'], invalid),
    me('a header with a space in its name', ['X Y: z'], invalid),
    me('a folded header', ['X: a', ' b'], invalid),
    me('a bare LF in a header', ['X: a\nY: b'], invalid),
    me('a bare CR in a header', ['X: a\rY: b'], invalid),
    me(
      'a header with every byte from 128 to 255',
      [`X: ${Array.from({ length: 128 }, (_, i) => String.fromCharCode(128 + i)).join('')}`],
      'accepted',
    ),
    me('headers named like object prototype members', ['__proto__: x', 'constructor: x', 'toString: x'], 'accepted'),
    me(
      '500 headers',
      Array.from({ length: 500 }, () => 'a:'),
      'accepted',
    ),
    me(
      '5,000 headers',
      Array.from({ length: 5_000 }, () => 'a:'),
      tooLarge,
    ),
    me('a header of 100 kB', [`X: ${'x'.repeat(100_000)}`], tooLarge),
    me('a header name of 100 kB', [`${'x'.repeat(100_000)}: y`], tooLarge),
    me('cookies of 15 kB', [`Cookie: ${'a=b; '.repeat(2_500)}`], 'accepted'),
    lines('a URL of 20 kB', `GET /v2/me?${'x'.repeat(20_000)} HTTP/1.1\r\n${rest}`, tooLarge),
    lines('10,000 query parameters', `GET /v2/me?${'a=&'.repeat(10_000)} HTTP/1.1\r\n${rest}`, tooLarge),
    lines('1 MiB without a line break', 'x'.repeat(1024 * 1024), invalid),
  ]
}
