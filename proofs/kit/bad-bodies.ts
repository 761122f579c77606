/** Bodies that no honest client sends, made from a valid one. */
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { type Expected, refusedAs } from './contract-answer.ts'
import type { BodyForm } from './route-examples.ts'

export interface BadBody {
  name: string
  headers: readonly string[]
  body: string | Buffer
  /** Where the body's length is not simply said. */
  framing?: readonly string[]
  expected: Expected
}

type Fields = Readonly<Record<string, unknown>>

const mebibyte = 1024 * 1024
const invalid = refusedAs('invalid_request')
const otherType = refusedAs('unsupported_media_type')
const tooLarge = refusedAs('too_large')

const json = (name: string, body: string | Buffer, expected: Expected): BadBody => ({
  name,
  headers: ['Content-Type: application/json'],
  body,
  expected,
})

/** `whatever`: within the contract, be it taken or refused. */
export function badBodies(example: Fields, form: BodyForm, whatever: Expected): BadBody[] {
  const bodies = [
    ...mediaTypes(JSON.stringify(example), form),
    ...encodings(form),
    ...documents(example, whatever),
    ...Object.keys(example).flatMap((field) => badValues(example, field, whatever)),
  ]
  return [
    // Whatever else is wrong with it, it is too large before.
    ...bodies.map((bad) =>
      bad.expected === invalid && !bad.framing && Buffer.byteLength(bad.body) > form.maxBytes
        ? { ...bad, expected: tooLarge }
        : bad,
    ),
    ...sizes(JSON.stringify(example), form),
    ...framings(JSON.stringify(example)),
  ]
}

/** For operations that take none: it is not looked at. */
export const unaskedBodies = (): BadBody[] => [
  json('nothing, as JSON', '', 'taken'),
  json('broken JSON', '{', 'taken'),
  json('4 MiB of JSON', `"${'x'.repeat(4 * mebibyte)}"`, 'taken'),
  { name: 'a text', headers: ['Content-Type: text/plain'], body: 'text', expected: 'taken' },
  { name: 'a body without a type', headers: [], body: 'text', expected: 'taken' },
  { name: 'an absurd type', headers: ['Content-Type: /;/'], body: 'text', expected: 'taken' },
  {
    name: 'a gzip bomb',
    headers: ['Content-Encoding: gzip', 'Content-Type: application/json'],
    body: bombs().gzip,
    expected: 'taken',
  },
]

function mediaTypes(valid: string, form: BodyForm): BadBody[] {
  const asText = form.mediaTypes.includes('text/plain') ? 'taken' : otherType
  const typed = (type: string, expected: Expected, body: string | Buffer = valid): BadBody => ({
    name: `as ${type.slice(0, 40) || 'an empty type'}`,
    headers: [`Content-Type: ${type}`],
    body,
    expected,
  })
  const multipart = `--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n${valid}\r\n--x--\r\n`
  return [
    typed('application/json; charset=utf-8', 'taken'),
    typed('Application/JSON', 'taken'),
    typed('application/json;charset=utf-16', 'taken'), // the parameter means nothing for JSON, whose bytes are UTF-8
    typed('application/json; charset=utf-16', invalid, Buffer.from(valid, 'utf16le')),
    typed('text/plain', asText),
    typed('application/xml', otherType, '<a/>'),
    typed('application/x-www-form-urlencoded', otherType, 'a=1'),
    typed('multipart/form-data; boundary=x', otherType, multipart),
    typed('application/jsonx', otherType),
    typed('application/problem+json', otherType),
    typed('text/json, application/json', otherType),
    typed('application/octet-stream', otherType, Buffer.alloc(1000, 0xff)),
    typed('*/*', otherType),
    typed('json', otherType),
    typed('', otherType),
    typed('/', otherType),
    typed('\xff\xfe', otherType),
    typed(`text/${'x'.repeat(10_000)}`, otherType),
    typed(`application/json; ${'a=b; '.repeat(2_000)}`, { documented: [200, 201, 204, 400, 409, 415, 429] }),
    { name: 'without a type', headers: [], body: valid, expected: otherType },
    {
      name: 'as two types',
      headers: ['Content-Type: text/plain', 'Content-Type: application/json'],
      body: valid,
      expected: asText,
    },
  ]
}

/** 64 MiB of spaces in a few kilobytes. Made once: it takes seconds, in which nothing else is done here. */
let made: ReturnType<typeof makeBombs> | undefined
const bombs = () => (made ??= makeBombs())

function makeBombs() {
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

function encodings({ mayBePacked, maxBytes }: BodyForm): BadBody[] {
  const encoded = (encoding: string, body: Buffer): BadBody => ({
    name: `${encoding}: ${body.length} bytes that become 64 MiB`,
    headers: ['Content-Type: application/json', `Content-Encoding: ${encoding}`],
    body,
    expected: (mayBePacked && encoding === 'gzip') || body.length > maxBytes ? tooLarge : otherType,
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
    json('gzip without saying so', gzip, invalid),
    {
      name: 'a transfer coded with gzip',
      headers: ['Content-Type: application/json'],
      framing: ['Transfer-Encoding: gzip, chunked'],
      body: Buffer.concat([Buffer.from(`${gzip.length.toString(16)}\r\n`), gzip, Buffer.from('\r\n0\r\n\r\n')]),
      expected: gzip.length > maxBytes ? tooLarge : invalid,
    },
  ]
}

function documents(example: Fields, whatever: Expected): BadBody[] {
  const valid = JSON.stringify(example)
  const [first = ''] = Object.keys(example)
  const twice = `{"${first}":null,${valid.slice(1)}`
  const beside = (fields: string) => `{${fields},${valid.slice(1)}`
  return [
    { name: 'no body, no type', headers: [], body: '', expected: invalid },
    { name: 'no body, length 0', headers: [], body: '', framing: ['Content-Length: 0'], expected: invalid },
    json('an empty body', '', invalid),
    json('spaces', '   \r\n', invalid),
    ...['null', '1', '-0', '1e999', '"text"', 'true', '[]', '[{}]'].map((text) => json(text, text, invalid)),
    ...['{', '{"', '{"a":', valid.slice(0, -1), `${valid},`, `${valid}${valid}`, `${valid}\0`, `x${valid}`].map(
      (text) => json(`broken: ${text.slice(0, 20)}`, text, invalid),
    ),
    ...['{a:1}', "{'a':1}", '{"a":01}', '{"a":NaN}', '{"a":Infinity}', '{"a":+1}', '{"a":1,}', '// a\n{}'].map((text) =>
      json(`not quite JSON: ${text}`, text, invalid),
    ),
    json('{}', '{}', whatever),
    json('with a byte order mark', `\uFEFF${valid}`, 'taken'),
    json('in UTF-16', Buffer.from(`\uFEFF${valid}`, 'utf16le'), invalid),
    json('the same field twice, the last one right', twice, 'taken'),
    json('a field named __proto__', beside('"__proto__":{"admin":true}'), invalid),
    json('a field named __proto__, in disguise', beside('"__pr\\u006fto__":{}'), invalid),
    json('a field named constructor', beside('"constructor":{"prototype":{"admin":true}}'), whatever),
    json('fields of every object', beside('"toString":1,"hasOwnProperty":1,"valueOf":1'), whatever),
    json('an empty name', beside('"":1'), whatever),
    json('NUL in a name', beside('"\\u0000":1'), invalid),
    json('half a character in a name', beside('"\\udead":1'), invalid),
    json('100,000 arrays deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, invalid),
    json('100,000 objects deep', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, invalid),
    json('500,000 arrays deep and never closed', '['.repeat(500_000), invalid),
    json('100,000 deep inside', beside(`"a":${'['.repeat(100_000)}${']'.repeat(100_000)}`), invalid),
    json('1 MiB of names', `{${filled((index) => `"k${index}":1`, 1000)}}`, invalid),
    json('one name of 1 MiB', `{"${'k'.repeat(mebibyte - 1000)}":1}`, invalid),
    json('1 MiB of arrays', `[${filled(() => '[]', 1000)}]`, invalid),
  ]
}

function sizes(valid: string, { maxBytes }: BodyForm): BadBody[] {
  const padded = (bytes: number) => valid + ' '.repeat(bytes - Buffer.byteLength(valid))
  const announced = (length: string): BadBody => ({
    name: `announced as ${length} bytes`,
    headers: ['Content-Type: application/json'],
    framing: [`Content-Length: ${length}`],
    body: valid,
    expected: tooLarge,
  })
  return [
    json('exactly as much as may be', padded(maxBytes), 'taken'),
    json('a byte more', padded(maxBytes + 1), tooLarge),
    json('3 MiB more', padded(maxBytes + 3 * mebibyte), tooLarge),
    announced(String(maxBytes + 1)),
    announced('9007199254740991'),
    {
      name: 'twice as much, in chunks',
      headers: ['Content-Type: application/json'],
      framing: ['Transfer-Encoding: chunked'],
      body: `${'1000\r\n'.concat(' '.repeat(0x1000), '\r\n').repeat((2 * maxBytes) / 0x1000)}0\r\n\r\n`,
      expected: tooLarge,
    },
  ]
}

/** Where proxies and servers disagree about a body's length, one's body is the other's next request. */
function framings(valid: string): BadBody[] {
  const hexLength = Buffer.byteLength(valid).toString(16)
  const chunked = `${hexLength}\r\n${valid}\r\n0\r\n\r\n`
  const framed = (name: string, framing: readonly string[], body: string, expected: Expected): BadBody => ({
    name,
    headers: ['Content-Type: application/json'],
    framing,
    body,
    expected,
  })
  const te = 'Transfer-Encoding: chunked'
  return [
    framed('in chunks', [te], chunked, 'taken'),
    framed(
      'in chunks with an extension and a trailer',
      [te],
      `${hexLength};a=b\r\n${valid}\r\n0\r\nX: y\r\n\r\n`,
      'taken',
    ),
    framed('both lengths', [te, 'Content-Length: 4'], chunked, invalid),
    framed('both lengths, the other way round', ['Content-Length: 4', te], chunked, invalid),
    framed('two lengths', ['Content-Length: 4', 'Content-Length: 5'], valid, invalid),
    framed('the same length twice', ['Content-Length: 4', 'Content-Length: 4'], valid, invalid),
    ...['-1', '+4', '0x4', '4,4', '4 4', '1e3', 'NaN', '99999999999999999999999'].map((length) =>
      framed(`length ${length}`, [`Content-Length: ${length}`], valid, invalid),
    ),
    framed('coded as identity', ['Transfer-Encoding: identity'], valid, invalid),
    framed('coded as nonsense', ['Transfer-Encoding: xchunked'], chunked, invalid),
    framed('coded twice', [te, 'Transfer-Encoding: identity'], chunked, invalid),
    framed('chunked, not at the end', ['Transfer-Encoding: chunked, gzip'], chunked, invalid),
    ...['ffffffffffffffffff', '-1', 'x', '', '0x4', '4 4'].map((size) =>
      framed(`a chunk of size ${size || 'nothing'}`, [te], `${size}\r\n${valid}\r\n0\r\n\r\n`, invalid),
    ),
    framed('a chunk longer than it says', [te], `1\r\n${valid}\r\n0\r\n\r\n`, invalid),
  ]
}

function badValues(example: Fields, field: string, whatever: Expected): BadBody[] {
  const rest = Object.entries(example).filter(([name]) => name !== field)
  const withValue = (value: string) =>
    `{${[[field, value], ...rest.map(([name, other]) => [name, JSON.stringify(other)])]
      .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
      .join()}}`
  const valued = (name: string, value: string, expected: Expected = whatever) =>
    json(`${field}: ${name}`, withValue(value), expected)
  const one = [example[field]].flat()[0]
  return [
    ...['null', 'true', '-0', '1e999', '-1e999', '1e-999', `1${'0'.repeat(400)}`, '{}', '[]', '[[]]', '""', '" "'].map(
      (value) => valued(value.slice(0, 20), value),
    ),
    valued('NUL', '"a\\u0000b"', invalid),
    valued('a raw NUL', '"a\0b"', invalid),
    valued('a raw line break', '"a\nb"', invalid),
    valued('half a character', '"\\ud83d"', invalid),
    valued('two halves in the wrong order', '"\\ude00\\ud83d"', invalid),
    valued('NUL deep inside', '[{"a":["\\u0000"]}]', invalid),
    valued('__proto__ deep inside', '[{"a":[{"__proto__":{}}]}]', invalid),
    ...[[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82]].map((bytes) =>
      json(
        `${field}: bytes ${bytes.map((byte) => byte.toString(16)).join(' ')}`,
        spliced(withValue('"¶"'), bytes),
        invalid,
      ),
    ),
    valued('invisible and odd characters', JSON.stringify('\u202e\u200d\ufeff\ufffe\u0001\u007f\u0085\u2028İ')),
    valued('1 MiB of text', JSON.stringify('x'.repeat(mebibyte - 2000))),
    valued('1 MiB of letters that grow in lower case', JSON.stringify('İ'.repeat(mebibyte / 2 - 1000))),
    valued('1 MiB of marks on one letter', JSON.stringify(`a${'\u0301'.repeat(mebibyte / 2 - 1000)}`)),
    valued('1 MiB of @', JSON.stringify('@'.repeat(mebibyte - 2000))),
    valued('1 MiB of digits', '9'.repeat(mebibyte - 2000)),
    valued('1 MiB of what it has', `[${filled(() => JSON.stringify(one), 2000)}]`),
    valued('1 MiB of numbers', `[${filled(() => '1', 2000)}]`),
    valued('1 MiB of empty objects', `[${filled(() => '{}', 2000)}]`),
    valued('99 levels', `${'['.repeat(99)}${']'.repeat(99)}`),
  ]
}

/** The ¶ replaced by bytes that are no UTF-8. */
function spliced(text: string, bytes: readonly number[]): Buffer {
  const [before = '', after = ''] = text.split('¶')
  return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
}

/** As many items as fit into the limit, less what is kept free. */
function filled(item: (index: number) => string, freeBytes: number): string {
  const items: string[] = []
  for (let bytes = 0; bytes < mebibyte - freeBytes; bytes += (items.at(-1)?.length ?? 0) + 1)
    items.push(item(items.length))
  return items.join()
}
