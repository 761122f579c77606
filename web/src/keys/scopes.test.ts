import { expect, test } from 'vitest'
import { allScopes, selectScopes } from './scopes.ts'

test('checking project:write checks all scopes', () => {
  expect(selectScopes(['agent:read'], ['agent:read', 'project:write'])).toEqual(allScopes)
})

test('unchecking another scope unchecks project:write', () => {
  const selected = allScopes.filter((scope) => scope !== 'agent:read')
  expect(selectScopes(allScopes, selected)).toEqual(selected.filter((scope) => scope !== 'project:write'))
})

test('other scopes are independent', () => {
  expect(selectScopes(['agent:read'], ['analytics:read', 'agent:read'])).toEqual(['agent:read', 'analytics:read'])
})
