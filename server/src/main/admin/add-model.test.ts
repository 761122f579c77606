import { expect, test } from 'vitest'
import { UsageError } from '../usage-error.ts'
import { parseAddModelOptions } from './add-model.ts'

const values = {
  name: 'sonnet',
  format: 'anthropic-messages',
  url: 'https://api.anthropic.com/v1/',
  'context-window': '200000',
  'max-output': '64000',
  'input-price': '3',
  'cache-read-price': '0.30',
}

test('converts option values to a model', () => {
  expect(parseAddModelOptions(values)).toEqual({
    name: 'sonnet',
    format: 'anthropic-messages',
    baseUrl: 'https://api.anthropic.com/v1',
    providerModel: 'sonnet',
    contextWindowTokens: 200_000,
    maxOutputTokens: 64_000,
    prices: { input: '3', output: null, cacheRead: '0.30', cacheWrite: null },
  })
  expect(parseAddModelOptions({ ...values, 'provider-model': 'claude-sonnet' }).providerModel).toBe('claude-sonnet')
})

test.each([
  { name: 'default' },
  { name: '' },
  { name: 'a b' },
  { name: '-a' },
  { format: 'openai' },
  { url: 'api.anthropic.com' },
  { url: 'file:///etc/passwd' },
  { url: 'https://user:key@api.example.com/v1' },
  { url: 'https://api.example.com/v1?key=x' },
  { 'context-window': '0' },
  { 'context-window': '1e10' },
  { 'max-output': 'many' },
  { 'input-price': '-1' },
  { 'output-price': '1,5' },
  { 'cache-write-price': '1e3' },
])('rejects %j', (change) => {
  expect(() => parseAddModelOptions({ ...values, ...change })).toThrow(UsageError)
})
