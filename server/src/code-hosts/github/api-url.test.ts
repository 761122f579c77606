import { expect, test } from 'vitest'
import { resolveGithubApiUrl } from './api-url.ts'

test.each([
  ['https://github.com', 'https://api.github.com'],
  ['https://GitHub.com', 'https://api.github.com'],
  ['https://acme.ghe.com', 'https://api.acme.ghe.com'],
  ['https://github.example.com', 'https://github.example.com/api/v3'],
  ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/api/v3'],
])('%s has its API at %s', (baseUrl, apiUrl) => {
  expect(resolveGithubApiUrl(baseUrl)).toBe(apiUrl)
})
