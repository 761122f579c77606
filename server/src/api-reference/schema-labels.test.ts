import { expect, test } from 'vitest'
import { html, joinHtml } from './html.ts'
import type { Schema } from './openapi-document.ts'
import { constraintLabels, typeLabel } from './schema-labels.ts'

const cases: [label: string, Schema][] = [
  ['anything', true],
  ['anything', {}],
  ['string; 1 to 50,000 characters', { type: 'string', minLength: 1, maxLength: 50_000 }],
  ['string; exactly 1 character', { type: 'string', minLength: 1, maxLength: 1 }],
  ['string; at least 1 character', { type: 'string', minLength: 1 }],
  ['string; matches ^a+$', { type: 'string', pattern: '^a+$' }],
  ['integer; 1 to 250, default 50', { type: 'integer', minimum: 1, maximum: 250, default: 50 }],
  ['number; more than 0, less than 1', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }],
  ['string (date-time) or null', { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] }],
  ['string or null; at most 9 characters', { type: ['string', 'null'], maxLength: 9 }],
  ['string or null; at most 9 characters', { anyOf: [{ type: 'string', maxLength: 9 }, { type: 'null' }] }],
  ['a or b; default a', { enum: ['a', 'b'], default: 'a' }],
  ['a or b or null', { anyOf: [{ const: 'a' }, { type: 'string', enum: ['b'] }, { type: 'null' }] }],
  ['1 or true or null', { enum: [1, true, null] }],
  [
    'array of string; at most 5 items, each at most 9 characters',
    { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 9 } },
  ],
  ['array of object', { type: 'array', items: { type: 'object', properties: { a: {} } } }],
  ['map of integer', { type: 'object', additionalProperties: { type: 'integer' } }],
  ['object', { properties: { a: {} }, additionalProperties: false }],
  ['Job or null', { anyOf: [{ $ref: '#/components/schemas/Job' }, { type: 'null' }] }],
  ['Job and object', { allOf: [{ $ref: '#/components/schemas/Job' }, { type: 'object' }] }],
]

for (const [label, schema] of cases) {
  test(`describes ${JSON.stringify(schema)} as: ${label}`, () => {
    const limits = constraintLabels(schema)
    const { text } = html`${typeLabel(schema)}${limits.length > 0 ? '; ' : ''}${joinHtml(limits, ', ')}`
    expect(text.replace(/<[^>]+>/g, '')).toBe(label)
  })
}

test('links a component to its section', () => {
  expect(typeLabel({ $ref: '#/components/schemas/Agent.Job' }).text).toBe('<a href="#schema-Agent-Job">Agent.Job</a>')
})
