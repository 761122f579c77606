import { generateKeyPairSync } from 'node:crypto'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { generateSealingKeyPair, parseSealingPrivateKeys, parseSealingPublicKeys } from './sealing-keys.ts'

const first = generateSealingKeyPair()
const second = generateSealingKeyPair()
const idOf = (entry: string) => entry.slice(0, 16)
const keyOf = (entry: string) => entry.slice(17)

const halves = [
  { half: 'public', parse: parseSealingPublicKeys, keyA: first.publicEntry, keyB: second.publicEntry },
  { half: 'private', parse: parseSealingPrivateKeys, keyA: first.privateEntry, keyB: second.privateEntry },
]

describe.each(halves)('parsing a list of $half keys', ({ parse, keyA, keyB }) => {
  test('keeps the order and allows whitespace around an entry', () => {
    const parsed = parse(` ${keyB} ,\n${keyA}\n`)
    expect(parsed.ok && parsed.keys.map(({ id }) => id)).toEqual([idOf(keyB), idOf(keyA)])
  })

  test.each([
    ['an empty text', '', ['contains no key']],
    ['whitespace', ' \n', ['contains no key']],
    ['a trailing comma', `${keyA},`, ['key 2 must have the form <key id>:<base64>']],
    ['a key without its id', keyOf(keyA), ['key 1 must have the form <key id>:<base64>']],
    ['the same key twice', `${keyA},${keyB},${keyA}`, ['key 3 is a duplicate']],
    ['a truncated key', keyA.slice(0, -8), ['key 1 is not an X25519 key: it may be truncated or mistyped']],
    [
      "another key's id",
      `${idOf(keyB)}:${keyOf(keyA)}`,
      ['key 1 does not match its key id: one of the two is mistyped'],
    ],
  ])('rejects %s', (_, text, errors) => {
    expect(parse(text)).toEqual({ ok: false, errors })
  })

  test('rejects a key of another algorithm', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    for (const der of [
      publicKey.export({ type: 'spki', format: 'der' }),
      privateKey.export({ type: 'pkcs8', format: 'der' }),
    ]) {
      expect(parse(`${idOf(keyA)}:${der.toString('base64')}`)).toEqual({
        ok: false,
        errors: ['key 1 is not an X25519 key: it may be truncated or mistyped'],
      })
    }
  })

  test('reports all errors together', () => {
    expect(parse(`nonsense,${keyA},${keyA},`)).toEqual({
      ok: false,
      errors: [
        'key 1 must have the form <key id>:<base64>',
        'key 3 is a duplicate',
        'key 4 must have the form <key id>:<base64>',
      ],
    })
  })
})

// Only the public half is checked to the bit: X25519 itself ignores five bits of a private key.
test('rejects a public key with any one character mistyped', () => {
  const { publicEntry } = first
  // The last character before the padding carries bits that base64 discards.
  for (let at = 0; at < publicEntry.length - 2; at++) {
    const mistyped = publicEntry.slice(0, at) + (publicEntry[at] === 'a' ? 'b' : 'a') + publicEntry.slice(at + 1)
    expect(parseSealingPublicKeys(mistyped).ok).toBe(false)
  }
})

test('rejects one half of a key in place of the other', () => {
  expect(parseSealingPublicKeys(`${first.publicEntry},${second.privateEntry}`)).toEqual({
    ok: false,
    errors: ['key 2 is a private key: use its public half here'],
  })
  expect(parseSealingPrivateKeys(first.publicEntry)).toEqual({
    ok: false,
    errors: ['key 1 is a public key: use its private half here'],
  })
})

test('shows no private key in an error message or when logged', () => {
  const secret = keyOf(first.privateEntry)
  const pieces = Array.from({ length: secret.length - 5 }, (_, at) => secret.slice(at, at + 6))
  const output = [
    first.privateEntry,
    secret,
    `${secret}:${secret}`,
    `${idOf(second.privateEntry)}:${secret}`,
    first.privateEntry.slice(0, -4),
    `${first.privateEntry},${first.privateEntry}`,
  ]
    .flatMap((text) => [parseSealingPublicKeys(text), parseSealingPrivateKeys(text)])
    .map((parsed) => JSON.stringify(parsed) + inspect(parsed, { depth: null, showHidden: true }))
    .join('\n')
  for (const piece of pieces) expect(output).not.toContain(piece)
})
