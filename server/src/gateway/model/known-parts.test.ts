import Type from 'typebox'
import { expect, test } from 'vitest'
import { knownParts } from './known-parts.ts'

const Block = Type.Union([
  Type.Object({ type: Type.Literal('text'), text: Type.String() }),
  Type.Object({ type: Type.Literal('call'), input: Type.Record(Type.String(), Type.Unknown()) }),
])
const schema = Type.Object({
  who: Type.Optional(Type.Literal('me')),
  content: Type.Union([Type.String(), Type.Array(Block), Type.Null()]),
})

test('copies what is named, however deep, and nothing else', () => {
  const given = {
    who: 'me',
    content: [
      { type: 'text', text: 'a', secret: 1 },
      { type: 'call', input: { any: { thing: [1] } }, server: 'http://elsewhere' },
    ],
    tools: [],
    ['__proto__']: { polluted: true },
  }
  const copied = knownParts(schema, given)
  expect(copied).toEqual({
    who: 'me',
    content: [
      { type: 'text', text: 'a' },
      { type: 'call', input: { any: { thing: [1] } } },
    ],
  })
  expect(given.content[0]).toHaveProperty('secret')
})

test('tells variants apart by kind, not by what else they have', () => {
  expect(knownParts(schema, { content: 'text' })).toEqual({ content: 'text' })
  expect(knownParts(schema, { content: null })).toEqual({ content: null })
  expect(knownParts(schema, { content: [{ type: 'call', text: 'x', input: {} }] })).toEqual({
    content: [{ type: 'call', input: {} }],
  })
})
