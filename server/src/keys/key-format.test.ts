import { createHash } from 'node:crypto'
import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  type ApiKeySecret,
  generateKey,
  hashKey,
  keyDisplayPrefix,
  keyPrefixes,
  leakedKeyPattern,
  parseKeyWithPrefix,
  type RunnerToken,
} from './key-format.ts'

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
// Fixed, so that the position of the checksum cannot change unnoticed, and so that a random collision (1 in 2^32 per
// mutation) cannot make the tests flaky.
const fixedKeys = {
  colophon_: 'colophon_0123456789ABCDEFGHIJKLMNOPQRSTUV48AfI1',
  colophon_runner_: 'colophon_runner_0123456789ABCDEFGHIJKLMNOPQRSTUV3GHFC4',
  colophon_attempt_: 'colophon_attempt_0123456789ABCDEFGHIJKLMNOPQRSTUV2G4R5Z',
  colophon_drain_: 'colophon_drain_0123456789ABCDEFGHIJKLMNOPQRSTUV1O5wfg',
}

describe.each(keyPrefixes)('a key with the prefix %s', (prefix) => {
  const fixedKey = fixedKeys[prefix]

  test('has the documented format and can be parsed', () => {
    for (let i = 0; i < 1_000; i++) {
      const key = generateKey(prefix)
      expect(key).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{38}$`))
      expect(parseKeyWithPrefix(prefix, key)).toBe(key)
    }
  })

  test('has a stable format', () => {
    expect(parseKeyWithPrefix(prefix, fixedKey)).toBe(fixedKey)
  })

  test('is never parsed as a key of another kind', () => {
    for (const otherPrefix of keyPrefixes.filter((candidate) => candidate !== prefix)) {
      for (let i = 0; i < 1_000; i++) expect(parseKeyWithPrefix(otherPrefix, generateKey(prefix))).toBeUndefined()
      expect(parseKeyWithPrefix(otherPrefix, otherPrefix + fixedKey.slice(prefix.length))).toBeUndefined()
    }
  })

  test('is rejected with any one character replaced', () => {
    const printable = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i))
    for (let at = 0; at < fixedKey.length; at++) {
      for (const character of printable.filter((candidate) => candidate !== fixedKey[at])) {
        expect(parseKeyWithPrefix(prefix, fixedKey.slice(0, at) + character + fixedKey.slice(at + 1))).toBeUndefined()
      }
    }
  })

  test('is rejected with any two adjacent characters swapped', () => {
    for (let i = 0; i < 200; i++) {
      const key = i === 0 ? fixedKey : generateKey(prefix)
      for (let at = 0; at < key.length - 1; at++) {
        const swapped = key.slice(0, at) + key.charAt(at + 1) + key.charAt(at) + key.slice(at + 2)
        if (swapped !== key) expect(parseKeyWithPrefix(prefix, swapped)).toBeUndefined()
      }
    }
  })

  test('is rejected after random changes, 100,000 times', () => {
    const random = seededRandom(1)
    const pick = (below: number) => Math.floor(random() * below)
    const accepted: string[] = []
    for (let i = 0; i < 100_000; i++) {
      const characters = [...fixedKey]
      for (let changes = 1 + pick(8); changes > 0; changes--) {
        const at = prefix.length + pick(38)
        characters[at] = base62.charAt(pick(62))
      }
      const mutated = characters.join('')
      if (mutated !== fixedKey && parseKeyWithPrefix(prefix, mutated) !== undefined) accepted.push(mutated)
    }
    expect(accepted).toEqual([])
  })

  test('is rejected with extra or missing characters', () => {
    for (const text of ['', prefix, ` ${fixedKey}`, `${fixedKey}\n`, `${fixedKey}0`, fixedKey.slice(0, -1)]) {
      expect(parseKeyWithPrefix(prefix, text)).toBeUndefined()
    }
  })

  test('is found by the pattern for secret scanners in any context', () => {
    const key = generateKey(prefix)
    for (const text of [key, `KEY="${key}"`, `?key%3D${key}&a=b`, `two ${key}\n${key}.`]) {
      const found = [...text.matchAll(leakedKeyPattern)].map(([match]) => match)
      expect(new Set(found)).toEqual(new Set([key]))
    }
  })

  test('is hashed as a whole and displayed with its first four random characters', () => {
    const key = generateKey(prefix)
    expect(hashKey(key)).toEqual(createHash('sha256').update(key).digest())
    expect(keyDisplayPrefix(key)).toBe(`${key.slice(0, prefix.length + 4)}…`)
  })
})

test('random characters are evenly distributed', () => {
  const counts = new Map<string, number>([...base62].map((character) => [character, 0]))
  const keys = 20_000
  for (let i = 0; i < keys; i++) {
    for (const character of generateKey('colophon_').slice('colophon_'.length, -6)) {
      counts.set(character, (counts.get(character) ?? 0) + 1)
    }
  }
  const expected = (keys * 32) / 62
  // Six standard deviations. `byte % 62` without rejection would be off by 21 % for the first eight characters.
  for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(6 * Math.sqrt(expected))
})

test('types keep the kinds of keys apart', () => {
  expectTypeOf<ApiKeySecret>().not.toExtend<RunnerToken>()
  expectTypeOf<RunnerToken>().not.toExtend<ApiKeySecret>()
  expectTypeOf<string>().not.toExtend<ApiKeySecret>()
})

/** Mulberry32. */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
