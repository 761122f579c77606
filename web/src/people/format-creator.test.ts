import { expect, test } from 'vitest'
import { describeCreator } from './format-creator.ts'

const keys = [{ id: 'key_1', name: 'CI' }]

test.each([
  [null, null, ''],
  ['ada@example.com', null, 'by ada@example.com'],
  ['key_1', null, 'by API key CI'],
  ['key_2', null, 'by API key key_2'],
  ['operator', null, 'by colophon-server admin'],
  ['per_1', 'ada@example.com', 'by a deleted person, taken over by ada@example.com'],
  [null, 'ada@example.com', 'taken over by ada@example.com'],
])('created by %s, taken over by %s: “%s”', (createdBy, takenOverBy, expected) => {
  expect(describeCreator({ createdBy, takenOverBy }, keys)).toBe(expected)
})
