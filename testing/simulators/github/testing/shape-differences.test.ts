import { expect, test } from 'vitest'
import { shapeDifferences } from './shape-differences.ts'

test('lists missing fields and fields of another type, but not null', () => {
  const recorded = { id: 1, name: 'x', owner: { login: 'y', id: 2 }, gone: null, list: [] }
  expect(shapeDifferences(recorded, { id: '1', name: null, owner: { login: 'y' }, gone: 3, list: {} }, 2)).toEqual([
    'id is string instead of number',
    'owner.id is missing',
    'list is object instead of array',
  ])
  expect(shapeDifferences(recorded, { ...recorded, owner: {} }, 1)).toEqual([])
})
