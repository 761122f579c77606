import Type from 'typebox'
import { expect, test } from 'vitest'
import { pickSchemaFields } from './pick-schema-fields.ts'

const Block = Type.Union([
  Type.Object({ type: Type.Literal('text'), text: Type.String() }),
  Type.Object({ type: Type.Literal('call'), input: Type.Record(Type.String(), Type.Unknown()) }),
])
const schema = Type.Object({
  who: Type.Optional(Type.Literal('me')),
  content: Type.Union([Type.String(), Type.Array(Block), Type.Null()]),
})

test('copies the fields of the schema at any depth, and nothing else', () => {
  const value = {
    who: 'me',
    content: [
      { type: 'text', text: 'a', secret: 1 },
      { type: 'call', input: { any: { thing: [1] } }, server: 'http://elsewhere' },
    ],
    tools: [],
    ['__proto__']: { polluted: true },
  }
  const copied = pickSchemaFields(schema, value)
  expect(copied).toEqual({
    who: 'me',
    content: [
      { type: 'text', text: 'a' },
      { type: 'call', input: { any: { thing: [1] } } },
    ],
  })
  expect(value.content[0]).toHaveProperty('secret')
})

test('distinguishes variants by type, not by their other fields', () => {
  expect(pickSchemaFields(schema, { content: 'text' })).toEqual({ content: 'text' })
  expect(pickSchemaFields(schema, { content: null })).toEqual({ content: null })
  expect(pickSchemaFields(schema, { content: [{ type: 'call', text: 'x', input: {} }] })).toEqual({
    content: [{ type: 'call', input: {} }],
  })
})
