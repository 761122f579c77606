import { expect, test } from 'vitest'
import { filterRepositories } from './filter-repositories.ts'

const repositories = ['acme/handbook', 'acme/Docs-Site', 'docs/handbook'].map((fullName, id) => {
  const [owner = '', name = ''] = fullName.split('/')
  return { id, owner, name, defaultBranch: 'main', isPrivate: false }
})

test.each([
  ['', [0, 1, 2]],
  ['HAND', [0, 2]],
  ['docs', [1, 2]],
  ['docs hand', [2]],
  ['acme/h', [0]],
  ['nothing', []],
])('finds repositories by %j', (query, ids) =>
  expect(filterRepositories(repositories, query).map(({ id }) => id)).toEqual(ids),
)
