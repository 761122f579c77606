import { expect, test } from 'vitest'
import { cpuMillisecondsOf } from '../../platform/testing/cpu-milliseconds.ts'
import { createLogLineParser } from './parse-log-line.ts'

const read = createLogLineParser()
const at = new Date('2026-03-09T23:59:58Z')

test.each([
  [
    'nginx, combined',
    '203.0.113.7 - - [10/Mar/2026:00:59:58 +0100] "GET /docs/a?x=1 HTTP/1.1" 200 5316 "https://example.com/" "Mozilla/5.0 (X11)"',
    { method: 'GET', path: '/docs/a?x=1', status: 200, userAgent: 'Mozilla/5.0 (X11)' },
  ],
  [
    'Apache, combined, with a site name, a user name with spaces, and escaped quotes',
    'docs.example.com:443 2001:db8::1 - Ann [x] Lee [09/Mar/2026:23:59:58 +0000] "GET /a HTTP/2.0" 304 - "-" "say \\"hi\\" \\\\ there"',
    { method: 'GET', path: '/a', status: 304, userAgent: 'say "hi" \\ there' },
  ],
  [
    'common, without user agents',
    '203.0.113.7 - ann [09/Mar/2026:23:59:58 +0000] "GET /a HTTP/1.0" 200 12',
    { method: 'GET', path: '/a', status: 200, userAgent: '' },
  ],
  [
    'nginx, with non-ASCII bytes, no user agent and additional fields',
    '203.0.113.7 - - [09/Mar/2026:23:59:58 +0000] "GET /caf\\xC3\\xA9 HTTP/1.1" 200 1 "-" "-" "0.003" rest',
    { method: 'GET', path: '/café', status: 200, userAgent: '' },
  ],
  [
    'Caddy',
    JSON.stringify({
      level: 'info',
      ts: at.getTime() / 1000,
      logger: 'http.log.access',
      request: {
        remote_ip: '203.0.113.7',
        method: 'GET',
        uri: '/docs/a.md?x=1',
        headers: { 'User-Agent': ['curl/8.0'], Accept: ['text/markdown', '*/*'], 'Sec-Purpose': ['prefetch'] },
      },
      status: 200,
    }),
    { path: '/docs/a.md?x=1', userAgent: 'curl/8.0', accept: 'text/markdown, */*', prefetch: true },
  ],
  [
    'nginx, with JSON in the format of Caddy, as in 0.1.0',
    '{"ts":1773100798.000,"status":200,"request":{"method":"GET","uri":"/a","host":"docs.example.com","headers":{"User-Agent":["say \\"hi\\""],"Accept":["text/markdown, */*"],"Sec-Purpose":["prefetch;prerender"]}}}',
    { method: 'GET', path: '/a', status: 200, userAgent: 'say "hi"', accept: 'text/markdown, */*', prefetch: true },
  ],
  [
    'nginx, with the JSON of docs/views.md',
    String.raw`{"at":1773100798.000,"method":"GET","host":"127.0.0.1","path":"/caf%C3%A9?x=1&y=\"z\"","status":200,"userAgent":"GPTBot/1.2 \"x\\y\" ü","accept":"text/markdown, \"a\"","secPurpose":"","id":"31c09206fc0ca597268d979c0633ff10"}`,
    {
      path: '/caf%C3%A9?x=1&y="z"',
      userAgent: 'GPTBot/1.2 "x\\y" ü',
      accept: 'text/markdown, "a"',
      prefetch: false,
      host: '127.0.0.1',
      requestId: '31c09206fc0ca597268d979c0633ff10',
    },
  ],
  [
    'Caddy, with the time as a string',
    '{"ts":"2026-03-10T00:59:58+01:00","status":404,"request":{"method":"HEAD","uri":"/"}}',
    { method: 'HEAD', path: '/', status: 404, userAgent: '' },
  ],
])('parses a line without the IP address: %s', (_name, line, expected) => {
  expect(read(line)).toMatchObject({ ...expected, at })
  expect(JSON.stringify(read(line))).not.toMatch(/203\.0\.113|2001:db8/)
})

test.each([
  '',
  'nothing',
  '2026/03/09 [error] 7#7: *1 open() failed',
  '203.0.113.7 - - [09/Mar/2026:23:59:58 +0000] "\\x16\\x03\\x01" 400 157 "-" "-"',
  '203.0.113.7 - - [09/Mar/2026:23:59:58 +0000] "-" 408 0 "-" "-"',
  '203.0.113.7 - - [32/Mar/2026:23:59:58 +0000] "GET / HTTP/1.1" 200 1 "-" "-"',
  '203.0.113.7 - - [09/Mrz/2026:23:59:58 +0000] "GET / HTTP/1.1" 200 1 "-" "-"',
  '203.0.113.7 - - [09/Mar/0026:23:59:58 +0000] "GET / HTTP/1.1" 200 1 "-" "-"',
  '203.0.113.7 - - [09/Mar/2026:23:59:58 +0000] "GET / HTTP/1.1',
  '{"ts":1,"msg":"server running"}',
  '{"ts":1e999,"status":200,"request":{"method":"GET","uri":"/"}}',
  '{"ts":',
  '{"request":null}',
])('returns undefined for a line that is not a request: %s', (line) => {
  expect(read(line)).toBeUndefined()
})

test('parses hostile lines in linear time', () => {
  const cpuMilliseconds = cpuMillisecondsOf(() => {
    for (const part of ['[', ' [', '"', '\\', '[09/Mar/2026:23:59:58 +0000] "', '\\"'])
      read(`x ${part.repeat(64_000 / part.length)}`)
  })
  expect(cpuMilliseconds).toBeLessThan(500)
})
