/** URLs of an operation with malformed ids or malformed queries, and URLs that no operation has. */
import { type ExpectedResponse, expectRejection } from '../judges/expected-response.ts'

export interface MalformedUrl {
  name: string
  target: string
  expected: ExpectedResponse
}

const malformedIds = [
  '%00',
  '%ff',
  '%',
  '%zz',
  '%e0%a4%a',
  '%ed%a0%80',
  '%2e%2e',
  '..',
  '.',
  '%2e%2e%2fkeys',
  '%5c',
  '%0d%0aX:%20y',
  '__proto__',
  'constructor',
  '*',
  ':projectId',
  '{projectId}',
  "'%20OR%201=1--",
  '%f0%9f%a6%84',
  'null',
  '-1',
  '%20',
  'x'.repeat(101),
  'x'.repeat(12_000),
  '%25'.repeat(3_000),
  '\xe9',
  '%EF%BB%BF',
  '[object%20Object]',
]

/** Replaces one path parameter at a time with each malformed id. No such resource exists. */
export function malformedPaths(path: string, target: string, documented: readonly number[]): MalformedUrl[] {
  const segments = target.split('/')
  return path.split('/').flatMap((parameter, index) => {
    if (!parameter.startsWith('{')) return []
    return malformedIds.map((id) => ({
      name: `${parameter} is ${id.slice(0, 30)}`,
      target: segments.with(index, id).join('/'),
      expected: { documented: documented.filter((status) => status >= 300).concat(404, 405) },
    }))
  })
}

const queries = [
  'limit=1&limit=2',
  'limit[]=1',
  'projectId[]=x',
  'limit=1e999',
  'limit=-0',
  'limit=9999999999999999999',
  'limit=',
  'cursor=%00',
  'cursor=%ff',
  'cursor=%',
  'cursor=%ed%a0%80',
  '%',
  '=',
  '&&&',
  '?',
  '\xe9=\xe9',
  '%F0%9F%A6%84=%F0%9F%A6%84',
  '__proto__=1',
  '__proto__[admin]=1',
  'constructor.prototype.admin=1',
  'toString=1',
  'hasOwnProperty=1',
  'a&'.repeat(6_000),
  `${'a[]=1&'.repeat(2_000)}`,
  `a=${'x'.repeat(12_000)}`,
  '%00'.repeat(4_000),
]

export const malformedQueries = (target: string, documented: readonly number[]): MalformedUrl[] =>
  queries.map((query) => ({
    name: `?${query.slice(0, 30)}`,
    target: `${target}?${query}`,
    expected: { documented },
  }))

const notFound = expectRejection('not_found')
const invalid = expectRejection('invalid_request')

/** URLs that no operation has. */
export const unknownUrls: readonly MalformedUrl[] = [
  '//',
  '//v2//me',
  '/v2/../v2/me',
  '/v2/./me',
  '/v2/me/',
  '/v2/me%00',
  '/v2/me%2f',
  '/V2/ME',
  '/v2/me;x=1',
  '/v2',
  '/..',
  '/../../../etc/passwd',
  '/assets/../../package.json',
  '/%2e%2e/package.json',
  '/.env',
  '/\\',
  '/v2/project',
  '/__proto__',
  '/v2/%f0%9f%a6%84',
  `/${'x'.repeat(12_000)}`,
  `/${'x/'.repeat(6_000)}`,
  `/${'%2f'.repeat(4_000)}`,
]
  .map((target) => ({ name: target.slice(0, 40), target, expected: notFound }))
  .concat(['/%', '/%ff', '/v2/%e0%a4%a'].map((target) => ({ name: target, target, expected: invalid })))
