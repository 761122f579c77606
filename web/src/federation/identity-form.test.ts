import { expect, test } from 'vitest'
import { describeClaims, emptyForm, toNewIdentity } from './identity-form.ts'

test('becomes the claims of the provider', () => {
  const form = { ...emptyForm, name: ' CI ', repository: ' acme/product ' }
  expect(toNewIdentity(form)).toEqual({
    name: 'CI',
    provider: 'github',
    issuer: 'https://token.actions.githubusercontent.com',
    claims: { repository: 'acme/product', ref: 'refs/heads/main' },
    scopes: ['agent:read', 'agent:write'],
  })
  expect(toNewIdentity({ ...form, provider: 'gitlab', branch: 'refs/tags/v1', environment: 'docs' }).claims).toEqual({
    project_path: 'acme/product',
    ref_path: 'refs/tags/v1',
    environment: 'docs',
  })
  expect(toNewIdentity({ ...form, provider: 'other', subject: 'job:docs' }).claims).toEqual({ sub: 'job:docs' })
})

test('claims are described in one line', () => {
  expect(describeClaims({ repository: 'acme/product', ref: 'refs/heads/main', environment: 'docs' })).toBe(
    'acme/product, branch main, environment docs',
  )
  expect(describeClaims({ project_path: 'acme/product', ref_path: 'refs/tags/v1' })).toBe('acme/product, tag v1')
  expect(describeClaims({ sub: 'job:docs' })).toBe('subject job:docs')
})
