import { expect, test } from 'vitest'
import { createModelFormValues, toModelInput, toModelName } from './provider-presets.ts'

test.each([
  ['claude-sonnet', 'claude-sonnet'],
  ['vendor/model 4.5', 'vendor/model-4.5'],
  [' -odd', 'odd'],
  ['', ''],
])('derives from %j the name %j', (typed, name) => expect(toModelName(typed)).toBe(name))

test('returns a model only when the form is complete', () => {
  const form = createModelFormValues(true)
  expect(toModelInput(form)).toBeUndefined()
  const complete = { ...form, providerModel: ' large ', key: 'sk', prices: { ...form.prices, input: 3 } }
  expect(toModelInput(complete)).toEqual({
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
  expect(toModelInput({ ...complete, key: ' ' })?.key).toBeNull()
  expect(toModelInput({ ...complete, baseUrl: 'nonsense' })).toBeUndefined()
  expect(toModelInput({ ...complete, contextWindowTokens: '' })).toBeUndefined()
})
