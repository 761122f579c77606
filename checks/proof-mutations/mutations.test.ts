import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { proofNames } from '../../proofs/results.ts'
import { checkout } from './mutated-checkout.ts'
import { type Mutation, mutate } from './mutation.ts'
import { mutations } from './mutations.ts'

test.each(mutations)('$name applies to the product', (mutation) => {
  expect(mutation.file).toMatch(/^(docs\/examples|server\/src|sdk\/src|mcp\/src|python\/colophon_client|deploy)\//)
  const text = readFileSync(join(checkout, mutation.file), 'utf8')
  expect(mutate(text, mutation)).not.toBe(text)
})

test('names are unique', () => {
  const names = mutations.map(({ name }) => name)
  expect(names).toEqual([...new Set(names)])
})

test('every proof must catch a mutation', () => {
  const proofs = mutations.flatMap(({ caughtBy }) => ('proof' in caughtBy ? [caughtBy.proof] : []))
  expect([...new Set(proofs)].toSorted()).toEqual(proofNames.toSorted())
})

test('the tests that must catch a mutation exist', () => {
  const tests = mutations.flatMap(({ caughtBy }) => ('test' in caughtBy ? [caughtBy.test] : []))
  expect(tests.filter((file) => !existsSync(join(checkout, file)))).toEqual([])
})

describe('mutate', () => {
  const mutation: Mutation = {
    name: 'example',
    bug: 'An example',
    file: 'file.ts',
    find: 'a',
    replace: '$&',
    caughtBy: { test: 'file.test.ts' },
    failure: 'works',
  }

  test('replaces the text literally', () => {
    expect(mutate('bab', mutation)).toBe('b$&b')
  })

  test.each(['bb', 'aba'])('rejects %s, which does not contain the text exactly once', (text) => {
    expect(() => mutate(text, mutation)).toThrow('example does not apply')
  })
})
