import { expect, test } from 'vitest'
import { emptyForm, nameFor, readForm } from './model-presets.ts'

test.each([
  ['claude-sonnet', 'claude-sonnet'],
  ['vendor/model 4.5', 'vendor/model-4.5'],
  [' -odd', 'odd'],
  ['', ''],
])('%j is called %j', (typed, name) => expect(nameFor(typed)).toBe(name))

test('a form becomes a model once it is whole', () => {
  const form = emptyForm(true)
  expect(readForm(form)).toBeUndefined()
  const whole = { ...form, providerModel: ' large ', key: 'sk', prices: { ...form.prices, input: 3 } }
  expect(readForm(whole)).toEqual({
    name: 'large',
    providerModel: 'large',
    format: 'anthropic-messages',
    baseUrl: 'https://api.anthropic.com/v1',
    contextWindowTokens: 200_000,
    maxOutputTokens: 32_000,
    projectIds: null,
    isDefault: true,
    key: 'sk',
    prices: { input: 3, output: null, cacheRead: null, cacheWrite: null },
  })
  expect(readForm({ ...whole, key: ' ' })?.key).toBeNull()
  expect(readForm({ ...whole, baseUrl: 'nonsense' })).toBeUndefined()
  expect(readForm({ ...whole, contextWindowTokens: '' })).toBeUndefined()
})
