import { expect, test } from 'vitest'
import { readDeliveredLogs } from './log-entries.ts'

const read = (body: string) => {
  const logs = readDeliveredLogs(body)
  return logs && [...logs.entries].filter((entry) => entry !== '')
}
const base64 = (text: string) => Buffer.from(text).toString('base64')

test('lines of text', () => {
  expect(read('one\r\ntwo\n\n')).toEqual(['one', 'two'])
  expect(read('one')).toEqual(['one'])
  expect(read(' \n')).toEqual([])
  expect(read('[28/Sep/2026:03:00:00 +0000] "GET / HTTP/2.0"\n[')).toEqual([
    '[28/Sep/2026:03:00:00 +0000] "GET / HTTP/2.0"',
    '[',
  ])
})

test('lines of JSON, of which one is cut off', () => {
  expect(read('{"a":1}\n{"a":2}\n{"a":')).toEqual(['{"a":1}', '{"a":2}', '{"a":'])
  expect(read('{"a":\n{"a":2}')).toEqual(['{"a":', '{"a":2}'])
  expect(read('{"a":"b\n{"a":"}"}')).toEqual(['{"a":"b', '{"a":"}"}'])
  expect(read('{"a":')).toEqual(['{"a":'])
  expect(read('{"message":"cut')).toEqual(['{"message":"cut'])
})

test('objects with nothing or a space between them', () => {
  expect(read('{"a":1}{"a":"}{"} {"a":[{}]}\n{"a":4}')).toEqual(['{"a":1}', '{"a":"}{"}', '{"a":[{}]}', '{"a":4}'])
  expect(read('{"a":1}{"a":')).toEqual(['{"a":1}', '{"a":'])
  expect(read(JSON.stringify({ requestId: 'r', records: [{ data: base64('{"a":1}{"a":2}') }] }))).toEqual([
    '{"a":1}',
    '{"a":2}',
  ])
})

test('a byte order mark', () => {
  expect(read('\uFEFF[{"a":1}]')).toEqual(['{"a":1}'])
})

test('one entry, on one line or several', () => {
  expect(read('{"a":1}')).toEqual(['{"a":1}'])
  expect(read(' {\n"a": 1\n} ')).toEqual(['{\n"a": 1\n}'])
})

test('an array of entries', () => {
  expect(read('[{"a":[1,"]"]},\n{"a":"\\"}"},3,null,"a \\"line\\""]')).toEqual([
    '{"a":[1,"]"]}',
    '{"a":"\\"}"}',
    '3',
    'null',
    'a "line"',
  ])
  expect(read('[]')).toEqual([])
  expect(read('[ ]\n[{"a":1}]\n[{"a":2}]\nx')).toEqual(['{"a":1}', '{"a":2}', 'x'])
})

test('what wraps entries is cut off', () => {
  expect(read('[{"a":1},{"a"')).toBeUndefined()
  expect(read('[{"a":1}]\n[{"a":1}')).toBeUndefined()
  expect(read('{"records":[{"a":1}')).toBeUndefined()
  expect(read('{"requestId":"r-1","timestamp":1,"records":[')).toBeUndefined()
  expect(read('{ "message": {')).toBeUndefined()
})

test('an entry that is cut off is not what wraps others', () => {
  expect(read('{"a":\n{"message":{"x":1}}\n{"b":2}')).toEqual(['{"a":', '{"message":{"x":1}}', '{"b":2}'])
})

test('what follows a brace that closes nothing is not lost silently', () => {
  expect(read('[{"a":1},}{"a":2},{"a":3}]')).toEqual(['{"a":1}', '}', '{"a":2},{"a":3}]'])
})

test('records of Azure, also from Event Hubs', () => {
  expect(read('{"records":[{"a":1},{"a":2}]}')).toEqual(['{"a":1}', '{"a":2}'])
  expect(read('[{"records":[{"a":1}]},{"records":[{"a":2}]}]')).toEqual(['{"a":1}', '{"a":2}'])
  expect(read('{"records":[{"a":1}]}\n{"records":[{"a":2}]}')).toEqual(['{"a":1}', '{"a":2}'])
})

test('records of Amazon Data Firehose: a repetition has another timestamp', () => {
  const records = [{ data: base64('a\tb\nc\td\n') }, { data: base64('e\tf') }]
  const body = (timestamp: number) => JSON.stringify({ requestId: `r-${timestamp}`, timestamp, records })
  expect(read(body(1578090901599))).toEqual(['a\tb', 'c\td', 'e\tf'])
  expect(readDeliveredLogs(body(1))?.payload).toBe(readDeliveredLogs(body(2))?.payload)
})

test('a message of Google Cloud Pub/Sub', () => {
  const message = { data: base64('{"insertId":"1"}'), messageId: '2070443601311540' }
  expect(read(JSON.stringify({ message, subscription: 's' }))).toEqual(['{"insertId":"1"}'])
})

const maxBytes = 8 * 1024 * 1024
const fill = (value: string) => value.repeat(Math.floor((maxBytes - 200) / value.length))

test.each([
  ['objects', `[${fill('{},')}{}]`],
  ['arrays', fill('[]')],
  ['blank lines', fill('\n')],
  ['records without entries', `[${fill('{"records":[]},')}{}]`],
  ['records without data', `{"requestId":"","records":[${fill('{"data":""},')}{}]}`],
  ['arrays in the data of a record', `{"requestId":"","records":[{"data":"","a":[${fill('{},')}{}]}]}`],
  ['arrays instead of the data of a record', `{"requestId":"","records":[{"data":[${fill('{},')}{}]}]}`],
  ['arrays in a message', `{"message":{"data":"","a":[${fill('{},')}{}]}}`],
  ['brackets', fill('[')],
  ['brackets in an object', `[{"a":${fill('[')}`],
])('a body of small values takes little memory, and others get their turn: %s', (_, body) => {
  const before = process.memoryUsage().rss
  let longestMs = 0
  let readingSince = performance.now()
  let entries = 0
  for (const _ of readDeliveredLogs(body)?.entries ?? []) {
    const now = performance.now()
    if (entries > 0) longestMs = Math.max(longestMs, now - readingSince)
    readingSince = now
    entries++
    if (entries === 200_000) break // a delivery can have no more
  }
  expect((process.memoryUsage().rss - before) / 1e6).toBeLessThan(150)
  expect(longestMs).toBeLessThan(1_000) // two passes over the body at most, on a busy machine
})
