/** Abuse of a valid attempt token: request bodies that violate the runner protocol. */
import {
  encodeReport,
  maxBundleBytes,
  maxSessionBytes,
  reportMediaType,
} from '../../server/src/runner-wire/runner-wire.ts'
import type { RunnerRequest } from './runner-api-client.ts'
import type { buildHostileReport } from './send-results.ts'

export interface BadReport extends Omit<RunnerRequest, 'token'> {
  name: string
  status: number
  code: string
}

const repeated = (count: number, letter = 'A') => letter.repeat(count)

export function badReports(report: ReturnType<typeof buildHostileReport>): BadReport[] {
  const encoded = encodeReport(report)
  const end = encoded.indexOf('\n')
  const json = encoded.toString('utf8', 0, end)
  const bytes = encoded.subarray(end)
  const valid = JSON.parse(json) as Record<string, unknown> & { baseCommit: string }
  /** Appends the binary part of the valid report, unless `head` is a buffer. */
  const invalid = (name: string, head: unknown): BadReport => {
    const body = Buffer.isBuffer(head)
      ? head
      : Buffer.concat([Buffer.from(typeof head === 'string' ? head : JSON.stringify(head)), bytes])
    return { name, path: 'result', body, status: 400, code: 'invalid_request' }
  }
  const withField = (name: string, fields: object) => invalid(name, { ...valid, ...fields })
  const check = { name: 'links', status: 'passed', findings: [] }
  return [
    invalid('an empty body', ''),
    invalid('truncated JSON', json.slice(0, -1)),
    invalid('JSON in Latin-1', Buffer.from(json.replace('Done.', 'Fertig gem\u00fc\u00df'), 'latin1')),
    invalid('a JSON array', [valid]),
    invalid('no kind', { ...valid, kind: undefined }),
    invalid('an unknown kind', { ...valid, kind: 'published' }),
    invalid('kind stopped with the fields of a result', { ...valid, kind: 'stopped' }),
    invalid('no base commit', { ...valid, baseCommit: undefined }),
    withField('an unknown field', { turnId: 'trn_01k0000000000000000000000a' }),
    invalid('a __proto__ field', json.replace('{', '{"__proto__":{"stop":null},')),
    invalid('a NUL character', json.replace('Done.', '\\u0000')),
    invalid('half a surrogate pair', json.replace('Done.', '\\ud800')),
    invalid('200 levels of nesting', json.replace('"Done."', `${'['.repeat(200)}${']'.repeat(200)}`)),
    ...['main', 'HEAD', '--upload-pack=id', valid.baseCommit.toUpperCase(), `${valid.baseCommit}0`, ''].map(
      (baseCommit) => withField(`the base commit ${JSON.stringify(baseCommit)}`, { baseCommit }),
    ),
    ...[-1, 0, 1.5, '3', [3], maxBundleBytes + 1, 2 ** 40].flatMap((size) => [
      withField(`a bundle of ${JSON.stringify(size)} bytes`, { bundleBytes: size }),
      withField(`a session of ${JSON.stringify(size)} bytes`, { sessionBytes: size === 0 ? 1 : size }),
    ]),
    invalid('one byte too few', encoded.subarray(0, -1)),
    invalid('one byte too many', Buffer.concat([encoded, Buffer.from('x')])),
    invalid('no binary part', encoded.subarray(0, end)),
    invalid('kind stopped with a binary part', { kind: 'stopped' }),
    withField('bytes of a bundle without its size', { bundleBytes: null }),
    withField('a session size that covers the bytes of the bundle', {
      bundleBytes: null,
      sessionBytes: Math.min(Number(valid.bundleBytes) + 1, maxSessionBytes),
    }),
    withField('a long title', { title: repeated(1_001) }),
    withField('a long summary', { summary: repeated(100_001) }),
    withField('a long reply', { reply: repeated(100_001, '\u{1f4a3}') }),
    withField('51 checks', { checks: Array(51).fill(check) }),
    withField('a check with 101 findings', { checks: [{ ...check, findings: Array(101).fill('x') }] }),
    withField('a check with a long finding', { checks: [{ ...check, findings: [repeated(2_001)] }] }),
    withField('a check with an unknown status', { checks: [{ ...check, status: 'skipped' }] }),
    withField('a check with an unknown field', { checks: [{ ...check, more: repeated(1_000_000) }] }),
    { ...invalid('media type text/plain', json), headers: ['content-type', 'text/plain'], ...unsupported },
    { ...invalid('media type application/json', json), headers: ['content-type', 'application/json'] },
    { ...invalid('no media type', json), headers: [], ...unsupported },
    {
      ...invalid('a compressed body', json),
      headers: ['content-type', reportMediaType, 'content-encoding', 'gzip'],
      ...unsupported,
    },
    { ...withField('a report above the size limit', { reply: repeated(64 * 1024 * 1024) }), ...tooLarge },
    { ...withField('a first line of 9 MB', { reply: repeated(9 * 1024 * 1024) }), ...tooLarge },
    ...badUploads,
  ]
}

const unsupported = { status: 415, code: 'unsupported_media_type' }
const tooLarge = { status: 413, code: 'too_large' }

const event = { type: 'text', at: '2026-01-01T00:00:00Z', text: 'x' }
const upload = (name: string, body: unknown): BadReport => ({
  name: `events: ${name}`,
  path: 'events',
  body,
  status: 400,
  code: 'invalid_request',
})

const badUploads: readonly BadReport[] = [
  upload('no index', { events: [event] }),
  ...[-1, 0.5, 1e8].map((firstIndex) => upload(`index ${firstIndex}`, { firstIndex, events: [event] })),
  upload('1,001 events', { firstIndex: 0, events: Array(1_001).fill(event) }),
  upload('a long text', { firstIndex: 0, events: [{ ...event, text: repeated(64 * 1024 + 1) }] }),
  upload('an unknown type', { firstIndex: 0, events: [{ ...event, type: 'html' }] }),
  upload('an unknown field', { firstIndex: 0, events: [{ ...event, html: '<script>' }] }),
  upload('an invalid time', { firstIndex: 0, events: [{ ...event, at: 'now' }] }),
  { ...upload('9 MB', { firstIndex: 0, events: Array(150).fill({ ...event, text: repeated(60_000) }) }), ...tooLarge },
]
