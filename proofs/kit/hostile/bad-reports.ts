/** What a live attempt's token can be abused for: bodies that are none of those that runner and gateway agreed on. */
import {
  encodeReport,
  maxBundleBytes,
  maxSessionBytes,
  reportMediaType,
} from '../../../server/src/runner-wire/runner-wire.ts'
import type { RunnerRequest } from './runner-calls.ts'
import type { reportOf } from './sent-results.ts'

export interface BadReport extends Omit<RunnerRequest, 'token'> {
  name: string
  status: number
  code: string
}

const letters = (count: number, letter = 'A') => letter.repeat(count)

export function badReports(report: ReturnType<typeof reportOf>): BadReport[] {
  const sent = encodeReport(report)
  const end = sent.indexOf('\n')
  const json = sent.toString('utf8', 0, end)
  const bytes = sent.subarray(end)
  const good = JSON.parse(json) as Record<string, unknown> & { baseCommit: string }
  /** Followed by the bytes of the good one, unless it is bytes itself. */
  const invalid = (name: string, head: unknown): BadReport => {
    const body = Buffer.isBuffer(head)
      ? head
      : Buffer.concat([Buffer.from(typeof head === 'string' ? head : JSON.stringify(head)), bytes])
    return { name, path: 'result', body, status: 400, code: 'invalid_request' }
  }
  const withField = (name: string, fields: object) => invalid(name, { ...good, ...fields })
  const check = { name: 'links', status: 'passed', findings: [] }
  return [
    invalid('nothing', ''),
    invalid('half of JSON', json.slice(0, -1)),
    invalid('JSON in Latin-1', Buffer.from(json.replace('Done.', 'Fertig gem\u00fc\u00df'), 'latin1')),
    invalid('a list', [good]),
    invalid('no kind', { ...good, kind: undefined }),
    invalid('another kind', { ...good, kind: 'published' }),
    invalid('a stop with a result in it', { ...good, kind: 'stopped' }),
    invalid('no base', { ...good, baseCommit: undefined }),
    withField('a field more', { turnId: 'trn_01k0000000000000000000000a' }),
    invalid('a field that changes all objects', json.replace('{', '{"__proto__":{"stop":null},')),
    invalid('a title with NUL', json.replace('Done.', '\\u0000')),
    invalid('half a surrogate pair', json.replace('Done.', '\\ud800')),
    invalid('200 levels', json.replace('"Done."', `${'['.repeat(200)}${']'.repeat(200)}`)),
    ...['main', 'HEAD', '--upload-pack=id', good.baseCommit.toUpperCase(), `${good.baseCommit}0`, ''].map(
      (baseCommit) => withField(`the base ${JSON.stringify(baseCommit)}`, { baseCommit }),
    ),
    ...[-1, 0, 1.5, '3', [3], maxBundleBytes + 1, 2 ** 40].flatMap((size) => [
      withField(`a bundle of ${JSON.stringify(size)} bytes`, { bundleBytes: size }),
      withField(`a session of ${JSON.stringify(size)} bytes`, { sessionBytes: size === 0 ? 1 : size }),
    ]),
    invalid('a byte too few', sent.subarray(0, -1)),
    invalid('a byte too many', Buffer.concat([sent, Buffer.from('x')])),
    invalid('no bytes at all', sent.subarray(0, end)),
    invalid('a stop with bytes behind it', { kind: 'stopped' }),
    withField('no bundle, and its bytes all the same', { bundleBytes: null }),
    withField('bytes that were to be a bundle, as a session', {
      bundleBytes: null,
      sessionBytes: Math.min(Number(good.bundleBytes) + 1, maxSessionBytes),
    }),
    withField('a long title', { title: letters(1_001) }),
    withField('a long summary', { summary: letters(100_001) }),
    withField('a long reply', { reply: letters(100_001, '\u{1f4a3}') }),
    withField('51 checks', { checks: Array(51).fill(check) }),
    withField('a check with 101 findings', { checks: [{ ...check, findings: Array(101).fill('x') }] }),
    withField('a check with a long finding', { checks: [{ ...check, findings: [letters(2_001)] }] }),
    withField('a check with another status', { checks: [{ ...check, status: 'skipped' }] }),
    withField('a check with a field more', { checks: [{ ...check, more: letters(1_000_000) }] }),
    { ...invalid('plain text', json), headers: ['content-type', 'text/plain'], ...unsupported },
    { ...invalid('JSON alone', json), headers: ['content-type', 'application/json'] },
    { ...invalid('no media type', json), headers: [], ...unsupported },
    {
      ...invalid('a compressed body', json),
      headers: ['content-type', reportMediaType, 'content-encoding', 'gzip'],
      ...unsupported,
    },
    { ...withField('more than any report', { reply: letters(64 * 1024 * 1024) }), ...tooLarge },
    { ...withField('a first line of 9 MB', { reply: letters(9 * 1024 * 1024) }), ...tooLarge },
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
  upload('1,001 at once', { firstIndex: 0, events: Array(1_001).fill(event) }),
  upload('a long one', { firstIndex: 0, events: [{ ...event, text: letters(64 * 1024 + 1) }] }),
  upload('another type', { firstIndex: 0, events: [{ ...event, type: 'html' }] }),
  upload('a field more', { firstIndex: 0, events: [{ ...event, html: '<script>' }] }),
  upload('no time', { firstIndex: 0, events: [{ ...event, at: 'now' }] }),
  { ...upload('9 MB', { firstIndex: 0, events: Array(150).fill({ ...event, text: letters(60_000) }) }), ...tooLarge },
]
