import { expect, test } from 'vitest'
import { missingOf } from './same-shape.ts'

test('what is missing or of another type is named, null is not', () => {
  const recorded = { id: 1, name: 'x', owner: { login: 'y', id: 2 }, gone: null, list: [] }
  expect(missingOf(recorded, { id: '1', name: null, owner: { login: 'y' }, gone: 3, list: {} }, 2)).toEqual([
    'id is string instead of number',
    'owner.id is missing',
    'list is object instead of array',
  ])
  expect(missingOf(recorded, { ...recorded, owner: {} }, 1)).toEqual([])
})
