import { expect, test } from 'vitest'
import { parseJson } from './json-body.ts'

const parse = (text: string) => parseJson(Buffer.from(text))

test('ordinary JSON comes through', () => {
  expect(parse('{"a":[1,"x",null,{"b":"é😀"}]}')).toEqual({ a: [1, 'x', null, { b: 'é😀' }] })
})

test.each([
  ['nothing', '', 'empty'],
  ['half of it', '{"a":', 'not valid JSON'],
  ['NUL in a value', '{"a":"\\u0000"}', 'NUL'],
  ['NUL in a name', '{"\\u0000":1}', 'NUL'],
  ['a lone surrogate', '["\\ud800"]', 'Unicode'],
  ['__proto__', '{"a":{"__proto__":{"admin":true}}}', '__proto__'],
  [
    '10,000 fields',
    JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`f${index}`, 1]))),
    'fields',
  ],
  ['100,000 levels', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'nested'],
  ['100,000 objects deep', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'nested'],
])('%s is refused', (_name, text, reason) => {
  expect(() => parse(text)).toThrow(reason)
})

test('bytes that are not UTF-8 are refused', () => {
  expect(() => parseJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow('UTF-8')
})
