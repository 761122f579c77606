import { expect, test } from 'vitest'
import { buildNewTokenUrl, parseGithubRepositoryAddress } from './github-address.ts'

const handbook = { url: 'https://github.com', owner: 'docs', name: 'handbook' }

test.each([
  'docs/handbook',
  ' docs/handbook.git ',
  'github.com/docs/handbook',
  'https://github.com/docs/handbook',
  'http://www.github.com/docs/handbook/',
  'https://github.com/docs/handbook.git',
  'https://github.com/docs/handbook/tree/main/docs?plain=1#L3',
  'https://github.com/docs/handbook/pull/7/files',
  'git@github.com:docs/handbook.git',
  'ssh://git@github.com/docs/handbook.git',
])('reads %s', (typed) => expect(parseGithubRepositoryAddress(typed)).toEqual(handbook))

test.each([
  ['https://ghe.example.com/docs/handbook', { ...handbook, url: 'https://ghe.example.com' }],
  ['git@ghe.example.com:docs/handbook.git', { ...handbook, url: 'https://ghe.example.com' }],
  ['http://127.0.0.1:4000/docs/handbook', { ...handbook, url: 'http://127.0.0.1:4000' }],
  ['http://localhost:4000/docs/handbook', { ...handbook, url: 'http://localhost:4000' }],
  ['acme-docs_ent/docs.github.io', { ...handbook, owner: 'acme-docs_ent', name: 'docs.github.io' }],
])('reads %s', (typed, address) => expect(parseGithubRepositoryAddress(typed)).toEqual(address))

test.each([
  '',
  'handbook',
  'docs/',
  '-docs/handbook',
  'docs/hand book',
  'https://github.com/docs',
  'https://github.com/',
  'file:///docs/handbook',
  'javascript:alert(1)//docs/handbook',
])('rejects %j', (typed) => expect(parseGithubRepositoryAddress(typed)).toBeUndefined())

test('prefills the permissions of a new token', () => {
  const page = new URL(buildNewTokenUrl(handbook))
  expect(page.origin + page.pathname).toBe('https://github.com/settings/personal-access-tokens/new')
  expect(Object.fromEntries(page.searchParams)).toMatchObject({
    target_name: 'docs',
    contents: 'write',
    pull_requests: 'write',
  })
  expect(buildNewTokenUrl({ url: 'https://ghe.example.com' })).not.toContain('target_name')
})
