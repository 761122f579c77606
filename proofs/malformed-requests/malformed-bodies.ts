/** Bodies that no honest client sends, derived from a valid one. */
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { type ExpectedResponse, expectRejection } from '../judges/expected-response.ts'
import type { BodySpec } from '../judges/route-examples.ts'

export interface MalformedBody {
  name: string
  headers: readonly string[]
  body: string | Buffer
  /** Header lines that frame the body, if not its plain Content-Length. */
  framing?: readonly string[]
  expected: ExpectedResponse
}

type Fields = Readonly<Record<string, unknown>>

const mebibyte = 1024 * 1024
const invalid = expectRejection('invalid_request')
const unsupportedType = expectRejection('unsupported_media_type')
const tooLarge = expectRejection('too_large')

const json = (name: string, body: string | Buffer, expected: ExpectedResponse): MalformedBody => ({
  name,
  headers: ['Content-Type: application/json'],
  body,
  expected,
})

/** `anyDocumented`: expected where the contract allows both acceptance and rejection. */
export function malformedBodies(example: Fields, form: BodySpec, anyDocumented: ExpectedResponse): MalformedBody[] {
  const bodies = [
    ...mediaTypes(JSON.stringify(example), form),
    ...encodings(form),
    ...documents(example, anyDocumented),
    ...Object.keys(example).flatMap((field) => badValues(example, field, anyDocumented)),
  ]
  return [
    // The size is checked before anything else.
    ...bodies.map((malformed) =>
      malformed.expected === invalid && !malformed.framing && Buffer.byteLength(malformed.body) > form.maxBytes
        ? { ...malformed, expected: tooLarge }
        : malformed,
    ),
    ...sizes(JSON.stringify(example), form),
    ...framings(JSON.stringify(example)),
  ]
}

/** For operations without a body: they ignore it. */
export const ignoredBodies = (): MalformedBody[] => [
  json('an empty body, as JSON', '', 'accepted'),
  json('broken JSON', '{', 'accepted'),
  json('4 MiB of JSON', `"${'x'.repeat(4 * mebibyte)}"`, 'accepted'),
  { name: 'plain text', headers: ['Content-Type: text/plain'], body: 'text', expected: 'accepted' },
  { name: 'a body without a media type', headers: [], body: 'text', expected: 'accepted' },
  { name: 'a malformed media type', headers: ['Content-Type: /;/'], body: 'text', expected: 'accepted' },
  {
    name: 'a gzip bomb',
    headers: ['Content-Encoding: gzip', 'Content-Type: application/json'],
    body: bombs().gzip,
    expected: 'accepted',
  },
]

function mediaTypes(valid: string, form: BodySpec): MalformedBody[] {
  const asText = form.mediaTypes.includes('text/plain') ? 'accepted' : unsupportedType
  const typed = (type: string, expected: ExpectedResponse, body: string | Buffer = valid): MalformedBody => ({
    name: `as ${type.slice(0, 40) || 'an empty media type'}`,
    headers: [`Content-Type: ${type}`],
    body,
    expected,
  })
  const multipart = `--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n${valid}\r\n--x--\r\n`
  return [
    typed('application/json; charset=utf-8', 'accepted'),
    typed('Application/JSON', 'accepted'),
    typed('application/json;charset=utf-16', 'accepted'), // JSON has no charset parameter: its bytes are UTF-8
    typed('application/json; charset=utf-16', invalid, Buffer.from(valid, 'utf16le')),
    typed('text/plain', asText),
    typed('application/xml', unsupportedType, '<a/>'),
    typed('application/x-www-form-urlencoded', unsupportedType, 'a=1'),
    typed('multipart/form-data; boundary=x', unsupportedType, multipart),
    typed('application/jsonx', unsupportedType),
    typed('application/problem+json', unsupportedType),
    typed('text/json, application/json', unsupportedType),
    typed('application/octet-stream', unsupportedType, Buffer.alloc(1000, 0xff)),
    typed('*/*', unsupportedType),
    typed('json', unsupportedType),
    typed('', unsupportedType),
    typed('/', unsupportedType),
    typed('\xff\xfe', unsupportedType),
    typed(`text/${'x'.repeat(10_000)}`, unsupportedType),
    typed(`application/json; ${'a=b; '.repeat(2_000)}`, { documented: [200, 201, 204, 400, 409, 415, 429] }),
    { name: 'without a media type', headers: [], body: valid, expected: unsupportedType },
    {
      name: 'with two media types',
      headers: ['Content-Type: text/plain', 'Content-Type: application/json'],
      body: valid,
      expected: asText,
    },
  ]
}

/** 64 MiB of spaces in a few kilobytes. Created once: it takes seconds and blocks this process. */
let createdBombs: ReturnType<typeof createBombs> | undefined
const bombs = () => (createdBombs ??= createBombs())

function createBombs() {
  const long = Buffer.concat([Buffer.alloc(64 * mebibyte, ' '), Buffer.from('{}')])
  const gzip = gzipSync(long)
  return {
    gzip,
    twice: gzipSync(gzip),
    deflate: deflateSync(long),
    brotli: brotliCompressSync(long, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
    zstd: zstdCompressSync(long),
  }
}

function encodings({ allowGzip, maxBytes }: BodySpec): MalformedBody[] {
  const encoded = (encoding: string, body: Buffer): MalformedBody => ({
    name: `${encoding}: ${body.length} bytes that expand to 64 MiB`,
    headers: ['Content-Type: application/json', `Content-Encoding: ${encoding}`],
    body,
    expected: (allowGzip && encoding === 'gzip') || body.length > maxBytes ? tooLarge : unsupportedType,
  })
  const { gzip, twice, deflate, brotli, zstd } = bombs()
  return [
    encoded('gzip', gzip),
    encoded('x-gzip', gzip),
    encoded('deflate', deflate),
    encoded('br', brotli),
    encoded('zstd', zstd),
    encoded('gzip, gzip', twice),
    encoded('nonsense', gzip),
    json('gzip without Content-Encoding', gzip, invalid),
    {
      name: 'gzip as a transfer coding',
      headers: ['Content-Type: application/json'],
      framing: ['Transfer-Encoding: gzip, chunked'],
      body: Buffer.concat([Buffer.from(`${gzip.length.toString(16)}\r\n`), gzip, Buffer.from('\r\n0\r\n\r\n')]),
      expected: gzip.length > maxBytes ? tooLarge : invalid,
    },
  ]
}

function documents(example: Fields, anyDocumented: ExpectedResponse): MalformedBody[] {
  const valid = JSON.stringify(example)
  const [first = ''] = Object.keys(example)
  const twice = `{"${first}":null,${valid.slice(1)}`
  const withFields = (fields: string) => `{${fields},${valid.slice(1)}`
  return [
    { name: 'no body and no media type', headers: [], body: '', expected: invalid },
    { name: 'no body and Content-Length 0', headers: [], body: '', framing: ['Content-Length: 0'], expected: invalid },
    json('an empty body', '', invalid),
    json('spaces', '   \r\n', invalid),
    ...['null', '1', '-0', '1e999', '"text"', 'true', '[]', '[{}]'].map((text) => json(text, text, invalid)),
    ...['{', '{"', '{"a":', valid.slice(0, -1), `${valid},`, `${valid}${valid}`, `${valid}\0`, `x${valid}`].map(
      (text) => json(`malformed JSON: ${text.slice(0, 20)}`, text, invalid),
    ),
    ...['{a:1}', "{'a':1}", '{"a":01}', '{"a":NaN}', '{"a":Infinity}', '{"a":+1}', '{"a":1,}', '// a\n{}'].map((text) =>
      json(`almost JSON: ${text}`, text, invalid),
    ),
    json('{}', '{}', anyDocumented),
    json('with a byte order mark', `\uFEFF${valid}`, 'accepted'),
    json('in UTF-16', Buffer.from(`\uFEFF${valid}`, 'utf16le'), invalid),
    json('a duplicate field, the last value valid', twice, 'accepted'),
    json('a field named __proto__', withFields('"__proto__":{"admin":true}'), invalid),
    json('a field named __proto__, escaped', withFields('"__pr\\u006fto__":{}'), invalid),
    json('a field named constructor', withFields('"constructor":{"prototype":{"admin":true}}'), anyDocumented),
    json(
      'fields named like object prototype members',
      withFields('"toString":1,"hasOwnProperty":1,"valueOf":1'),
      anyDocumented,
    ),
    json('a field with an empty name', withFields('"":1'), anyDocumented),
    json('NUL in a field name', withFields('"\\u0000":1'), invalid),
    json('a lone surrogate in a field name', withFields('"\\udead":1'), invalid),
    json('100,000 nested arrays', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, invalid),
    json('100,000 nested objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, invalid),
    json('500,000 nested arrays that are never closed', '['.repeat(500_000), invalid),
    json('100,000 nested arrays in a field', withFields(`"a":${'['.repeat(100_000)}${']'.repeat(100_000)}`), invalid),
    json('1 MiB of fields', `{${filled((index) => `"k${index}":1`, 1000)}}`, invalid),
    json('a field name of 1 MiB', `{"${'k'.repeat(mebibyte - 1000)}":1}`, invalid),
    json('1 MiB of arrays', `[${filled(() => '[]', 1000)}]`, invalid),
  ]
}

function sizes(valid: string, { maxBytes }: BodySpec): MalformedBody[] {
  const padded = (bytes: number) => valid + ' '.repeat(bytes - Buffer.byteLength(valid))
  const announced = (length: string): MalformedBody => ({
    name: `a Content-Length of ${length}`,
    headers: ['Content-Type: application/json'],
    framing: [`Content-Length: ${length}`],
    body: valid,
    expected: tooLarge,
  })
  return [
    json('exactly the maximum size', padded(maxBytes), 'accepted'),
    json('one byte more than the maximum', padded(maxBytes + 1), tooLarge),
    json('3 MiB more than the maximum', padded(maxBytes + 3 * mebibyte), tooLarge),
    announced(String(maxBytes + 1)),
    announced('9007199254740991'),
    {
      name: 'twice the maximum, chunked',
      headers: ['Content-Type: application/json'],
      framing: ['Transfer-Encoding: chunked'],
      body: `${'1000\r\n'.concat(' '.repeat(0x1000), '\r\n').repeat((2 * maxBytes) / 0x1000)}0\r\n\r\n`,
      expected: tooLarge,
    },
  ]
}

/** Request smuggling: if a proxy and a server disagree about the length of a body, part of it becomes the next request. */
function framings(valid: string): MalformedBody[] {
  const hexLength = Buffer.byteLength(valid).toString(16)
  const chunked = `${hexLength}\r\n${valid}\r\n0\r\n\r\n`
  const framed = (
    name: string,
    framing: readonly string[],
    body: string,
    expected: ExpectedResponse,
  ): MalformedBody => ({
    name,
    headers: ['Content-Type: application/json'],
    framing,
    body,
    expected,
  })
  const te = 'Transfer-Encoding: chunked'
  return [
    framed('chunked', [te], chunked, 'accepted'),
    framed(
      'chunked with an extension and a trailer',
      [te],
      `${hexLength};a=b\r\n${valid}\r\n0\r\nX: y\r\n\r\n`,
      'accepted',
    ),
    framed('Transfer-Encoding and Content-Length', [te, 'Content-Length: 4'], chunked, invalid),
    framed('Content-Length and Transfer-Encoding', ['Content-Length: 4', te], chunked, invalid),
    framed('two different Content-Length headers', ['Content-Length: 4', 'Content-Length: 5'], valid, invalid),
    framed('the same Content-Length twice', ['Content-Length: 4', 'Content-Length: 4'], valid, invalid),
    ...['-1', '+4', '0x4', '4,4', '4 4', '1e3', 'NaN', '99999999999999999999999'].map((length) =>
      framed(`Content-Length ${length}`, [`Content-Length: ${length}`], valid, invalid),
    ),
    framed('the transfer coding identity', ['Transfer-Encoding: identity'], valid, invalid),
    framed('an unknown transfer coding', ['Transfer-Encoding: xchunked'], chunked, invalid),
    framed('two Transfer-Encoding headers', [te, 'Transfer-Encoding: identity'], chunked, invalid),
    framed('chunked, but not as the last transfer coding', ['Transfer-Encoding: chunked, gzip'], chunked, invalid),
    ...['ffffffffffffffffff', '-1', 'x', '', '0x4', '4 4'].map((size) =>
      framed(`a chunk of size ${size || '(empty)'}`, [te], `${size}\r\n${valid}\r\n0\r\n\r\n`, invalid),
    ),
    framed('a chunk longer than its size', [te], `1\r\n${valid}\r\n0\r\n\r\n`, invalid),
  ]
}

function badValues(example: Fields, field: string, anyDocumented: ExpectedResponse): MalformedBody[] {
  const rest = Object.entries(example).filter(([name]) => name !== field)
  const withValue = (value: string) =>
    `{${[[field, value], ...rest.map(([name, otherValue]) => [name, JSON.stringify(otherValue)])]
      .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
      .join()}}`
  const valued = (name: string, value: string, expected: ExpectedResponse = anyDocumented) =>
    json(`${field}: ${name}`, withValue(value), expected)
  const element = [example[field]].flat()[0]
  return [
    ...['null', 'true', '-0', '1e999', '-1e999', '1e-999', `1${'0'.repeat(400)}`, '{}', '[]', '[[]]', '""', '" "'].map(
      (value) => valued(value.slice(0, 20), value),
    ),
    valued('NUL', '"a\\u0000b"', invalid),
    valued('an unescaped NUL', '"a\0b"', invalid),
    valued('an unescaped line break', '"a\nb"', invalid),
    valued('a lone surrogate', '"\\ud83d"', invalid),
    valued('surrogates in the wrong order', '"\\ude00\\ud83d"', invalid),
    valued('NUL in a nested value', '[{"a":["\\u0000"]}]', invalid),
    valued('__proto__ in a nested value', '[{"a":[{"__proto__":{}}]}]', invalid),
    ...[[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82]].map((bytes) =>
      json(
        `${field}: bytes ${bytes.map((byte) => byte.toString(16)).join(' ')}`,
        spliced(withValue('"¶"'), bytes),
        invalid,
      ),
    ),
    valued('invisible and control characters', JSON.stringify('\u202e\u200d\ufeff\ufffe\u0001\u007f\u0085\u2028İ')),
    valued('1 MiB of text', JSON.stringify('x'.repeat(mebibyte - 2000))),
    valued('1 MiB of letters that grow when lower-cased', JSON.stringify('İ'.repeat(mebibyte / 2 - 1000))),
    valued('1 MiB of combining marks on one letter', JSON.stringify(`a${'\u0301'.repeat(mebibyte / 2 - 1000)}`)),
    valued('1 MiB of @', JSON.stringify('@'.repeat(mebibyte - 2000))),
    valued('1 MiB of digits', '9'.repeat(mebibyte - 2000)),
    valued('1 MiB of repeated example values', `[${filled(() => JSON.stringify(element), 2000)}]`),
    valued('1 MiB of numbers', `[${filled(() => '1', 2000)}]`),
    valued('1 MiB of empty objects', `[${filled(() => '{}', 2000)}]`),
    valued('99 nested arrays', `${'['.repeat(99)}${']'.repeat(99)}`),
  ]
}

/** Replaces ¶ with bytes that are not UTF-8. */
function spliced(text: string, bytes: readonly number[]): Buffer {
  const [before = '', after = ''] = text.split('¶')
  return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
}

/** As many items as fit into 1 MiB less `freeBytes`. */
function filled(item: (index: number) => string, freeBytes: number): string {
  const items: string[] = []
  for (let bytes = 0; bytes < mebibyte - freeBytes; bytes += (items.at(-1)?.length ?? 0) + 1)
    items.push(item(items.length))
  return items.join()
}
