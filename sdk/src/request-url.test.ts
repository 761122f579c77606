import { expect, test } from 'vitest'
import { buildRequestUrl } from './request-url.ts'

const base = new URL('https://example.com/colophon/')
const url = '/v2/projects/{projectId}/keys/{keyId}'

test('resolves a path against the base URL and encodes its parameters', () => {
  const path = { projectId: 'prj_1', keyId: 'a/b?c#d e%2e' }
  expect(buildRequestUrl(base, { url, path }).href).toBe(
    'https://example.com/colophon/v2/projects/prj_1/keys/a%2Fb%3Fc%23d%20e%252e',
  )
})

test('omits undefined query parameters and keeps 0 and false', () => {
  const query = { limit: 0, cursor: 'a b&c', all: false, before: undefined }
  expect(buildRequestUrl(base, { url: '/v2/me', query }).search).toBe('?limit=0&cursor=a+b%26c&all=false')
  expect(buildRequestUrl(base, { url: '/v2/me', query: {} }).href).toBe('https://example.com/colophon/v2/me')
})

test.each(['', '.', '..'])('rejects %j as an ID, because it would change the path', (keyId) => {
  expect(() => buildRequestUrl(base, { url, path: { projectId: 'prj_1', keyId } })).toThrow(
    `keyId must be an ID, not "${keyId}".`,
  )
})

test('names a path parameter that an untyped caller omitted', () => {
  expect(() => buildRequestUrl(base, { url, path: { projectId: 'prj_1' } })).toThrow(
    'keyId must be an ID, not undefined.',
  )
})
