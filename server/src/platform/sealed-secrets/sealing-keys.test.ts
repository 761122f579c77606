import { generateKeyPairSync } from 'node:crypto'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { generateSealingKeyPair, parseSealingPrivateKeys, parseSealingPublicKeys } from './sealing-keys.ts'

const first = generateSealingKeyPair()
const second = generateSealingKeyPair()
const idOf = (entry: string) => entry.slice(0, 16)
const keyOf = (entry: string) => entry.slice(17)

const halves = [
  { half: 'public', parse: parseSealingPublicKeys, one: first.publicEntry, two: second.publicEntry },
  { half: 'private', parse: parseSealingPrivateKeys, one: first.privateEntry, two: second.privateEntry },
]

describe.each(halves)('the list of $half keys', ({ parse, one, two }) => {
  test('keeps its order and allows space around an entry', () => {
    const parsed = parse(` ${two} ,\n${one}\n`)
    expect(parsed.ok && parsed.keys.map(({ id }) => id)).toEqual([idOf(two), idOf(one)])
  })

  test.each([
    ['nothing', '', ['no key is given']],
    ['space', ' \n', ['no key is given']],
    ['a comma too many', `${one},`, ['key 2 is not of the form <key id>:<base64>']],
    ['no key id', keyOf(one), ['key 1 is not of the form <key id>:<base64>']],
    ['the same key twice', `${one},${two},${one}`, ['key 3 is given twice']],
    ['a short key', one.slice(0, -8), ['key 1 is not an X25519 key: it may be cut short or mistyped']],
    [
      "another key's id",
      `${idOf(two)}:${keyOf(one)}`,
      ['key 1 does not belong to its key id: one of the two is mistyped'],
    ],
  ])('refuses %s', (_, text, mistakes) => {
    expect(parse(text)).toEqual({ ok: false, mistakes })
  })

  test('refuses a key of another algorithm', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    for (const der of [
      publicKey.export({ type: 'spki', format: 'der' }),
      privateKey.export({ type: 'pkcs8', format: 'der' }),
    ]) {
      expect(parse(`${idOf(one)}:${der.toString('base64')}`)).toEqual({
        ok: false,
        mistakes: ['key 1 is not an X25519 key: it may be cut short or mistyped'],
      })
    }
  })

  test('reports every mistake at once', () => {
    expect(parse(`nonsense,${one},${one},`)).toEqual({
      ok: false,
      mistakes: [
        'key 1 is not of the form <key id>:<base64>',
        'key 3 is given twice',
        'key 4 is not of the form <key id>:<base64>',
      ],
    })
  })
})

// Only of the public half is this true to the bit: X25519 itself ignores five bits of a private key.
test('refuses a public key with any one character mistyped', () => {
  const { publicEntry } = first
  // The last character before the padding carries bits that base64 throws away.
  for (let at = 0; at < publicEntry.length - 2; at++) {
    const mistyped = publicEntry.slice(0, at) + (publicEntry[at] === 'a' ? 'b' : 'a') + publicEntry.slice(at + 1)
    expect(parseSealingPublicKeys(mistyped).ok).toBe(false)
  }
})

test('refuses a half in the place of the other', () => {
  expect(parseSealingPublicKeys(`${first.publicEntry},${second.privateEntry}`)).toEqual({
    ok: false,
    mistakes: ['key 2 is a private key: only its public half may be given here'],
  })
  expect(parseSealingPrivateKeys(first.publicEntry)).toEqual({
    ok: false,
    mistakes: ['key 1 is a public key: its private half is needed here'],
  })
})

test('shows no private key in a mistake or when logged', () => {
  const secret = keyOf(first.privateEntry)
  const pieces = Array.from({ length: secret.length - 5 }, (_, at) => secret.slice(at, at + 6))
  const shown = [
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
  for (const piece of pieces) expect(shown).not.toContain(piece)
})
