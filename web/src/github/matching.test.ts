import { expect, test } from 'vitest'
import { matching } from './matching.ts'

const repositories = ['acme/handbook', 'acme/Docs-Site', 'docs/handbook'].map((whole, id) => {
  const [owner = '', name = ''] = whole.split('/')
  return { id, owner, name, defaultBranch: 'main', isPrivate: false }
})

test.each([
  ['', [0, 1, 2]],
  ['HAND', [0, 2]],
  ['docs', [1, 2]],
  ['docs hand', [2]],
  ['acme/h', [0]],
  ['nothing', []],
])('%j', (sought, ids) => expect(matching(repositories, sought).map(({ id }) => id)).toEqual(ids))
