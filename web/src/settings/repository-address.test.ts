import { expect, test } from 'vitest'
import { parseRepositoryAddress, trimDocsFolder } from './repository-address.ts'

test.each([
  ['https://git.example.com/docs/handbook', { url: 'https://git.example.com', owner: 'docs', name: 'handbook' }],
  [' https://git.example.com/docs/handbook.git ', { url: 'https://git.example.com', owner: 'docs', name: 'handbook' }],
  ['http://localhost:3000/a/b/', { url: 'http://localhost:3000', owner: 'a', name: 'b' }],
  [
    'https://example.com/gitea/docs/hand%20book',
    { url: 'https://example.com/gitea', owner: 'docs', name: 'hand book' },
  ],
])('parses %s', (typed, address) => expect(parseRepositoryAddress(typed)).toEqual(address))

test.each([
  '',
  'docs/handbook',
  'git@git.example.com:docs/handbook.git',
  'https://git.example.com/docs',
  'file:///a/b',
])('rejects %j', (typed) => expect(parseRepositoryAddress(typed)).toBeUndefined())

test.each([
  ['docs', 'docs'],
  ['/docs/', 'docs'],
  ['./docs/en', 'docs/en'],
  ['/', ''],
  ['', ''],
])('trims the folder %j to %j', (typed, folder) => expect(trimDocsFolder(typed)).toBe(folder))
