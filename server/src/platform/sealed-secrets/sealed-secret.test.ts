import { randomBytes, randomInt } from 'node:crypto'
import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  createOpener,
  createSealer,
  reseal,
  type SealedSecret,
  SealedSecretError,
  type SealedSecretErrorCode,
  toSealedSecret,
} from './sealed-secret.ts'
import {
  generateSealingKeyPair,
  parseSealingPrivateKeys,
  parseSealingPublicKeys,
  type SealingPrivateKeys,
  type SealingPublicKeys,
} from './sealing-keys.ts'

const binding = { projectId: 'prj_1', credentialId: 'cred_1', kind: 'github_app' }
const oldPair = generateSealingKeyPair()
const newPair = generateSealingKeyPair()
const sealer = createSealer(publicKeys(oldPair.publicEntry))
const opener = createOpener(privateKeys(oldPair.privateEntry))

describe('a sealed secret', () => {
  test('opens to the text that was sealed', async () => {
    const secrets = ['', '\0', '\u0080', '\ufeffbom', 'ends in zeros\0\0', 'é'.repeat(128), '🔑'.repeat(1_000)]
    for (let i = 0; i < 300; i++) secrets.push(randomBytes(randomInt(0, 2_000)).toString('utf8'))
    for (let length = 250; length < 260; length++) secrets.push('x'.repeat(length))
    const opened = await Promise.all(
      secrets.map(async (secret) => opener.open(await sealer.seal(secret, binding), binding)),
    )
    expect(opened).toEqual(secrets)
  })

  test('differs each time and hides the length of a token', async () => {
    const sealed = await Promise.all(['a', 'a', 'a'.repeat(255)].map((secret) => sealer.seal(secret, binding)))
    expect(new Set(sealed.map((bytes) => Buffer.from(bytes).toString('hex'))).size).toBe(3)
    expect(new Set(sealed.map((bytes) => bytes.length))).toEqual(new Set([313]))
  })

  test('opens after a trip through the database', async () => {
    const stored = new Uint8Array(await sealer.seal('secret', binding))
    expect(await opener.open(toSealedSecret(stored), binding)).toBe('secret')
  })

  test('opens only with its own binding', async () => {
    const sealed = await sealer.seal('secret', binding)
    for (const otherBinding of [
      { ...binding, projectId: 'prj_2' },
      { ...binding, credentialId: 'cred_2' },
      { ...binding, kind: 'gitlab_token' },
      { ...binding, projectId: binding.credentialId, credentialId: binding.projectId },
      { ...binding, projectId: 'prj_1","cred_1', credentialId: '' },
      { ...binding, projectId: 'prj_1cred', credentialId: '_1' },
    ]) {
      expect(await codeOf(() => opener.open(sealed, otherBinding))).toBe('not_authentic')
    }
  })

  test('does not open with any one bit changed', async () => {
    const sealed = await sealer.seal('secret', binding)
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Buffer.from(sealed)
      const at = bit >> 3
      changed.writeUInt8(changed.readUInt8(at) ^ (1 << (bit & 7)), at)
      const expected = at === 0 ? 'unknown_format' : at <= 8 ? 'unknown_key' : 'not_authentic'
      expect(await codeOf(async () => opener.open(toSealedSecret(changed), binding))).toBe(expected)
    }
  })

  test('does not open when truncated or extended', async () => {
    const sealed = await sealer.seal('x'.repeat(300), binding)
    for (let length = 0; length < sealed.length; length++) {
      const code = await codeOf(async () => opener.open(toSealedSecret(sealed.subarray(0, length)), binding))
      expect(code).toBe(length === sealed.length - 256 ? 'not_authentic' : 'unknown_format')
    }
    const longer = Buffer.concat([sealed, Buffer.alloc(256)])
    expect(await codeOf(async () => opener.open(toSealedSecret(longer), binding))).toBe('not_authentic')
  })

  test('does not open when its encapsulated key is a low-order point, which gives everyone the same shared secret', async () => {
    const sealed = Buffer.from(await sealer.seal('secret', binding))
    sealed.fill(0, 9, 41)
    expect(await codeOf(async () => opener.open(toSealedSecret(sealed), binding))).toBe('not_authentic')
  })

  test('opens if it was sealed by the first release', async () => {
    // A key pair and a value created for this test only; another implementation of RFC 9180 opened the value too.
    const keys = privateKeys('7ebc76d57f610683:MC4CAQAwBQYDK2VuBCIEIHh9J6xsLOBmrh3qPa9vE21OoxICRpJ4tVQRSOcr+gJ0')
    const stored =
      'AX68dtV/YQaDW4QQRYbx1p+/ojjrhlPSem3OUrSoFHqB7yecnzc0unon03fenmxphwDdTfd8jpe+WJq8fJgNicrLHm+YTF8gQTb5/4zB9/2K' +
      'ZsaVEjV8e4fXkctJPHXXHpuCcimFFj2iYXeF26KijGiHsjvfzaNigkkUy5fm9SbpLUhLYxfs1xIfZQTwiqohXxVb5PFQUxh2gqdUpuMhAsu3' +
      '6ZYl4uCGPKqp2yms+Ya/0x79QAhduqMaEJpqmvqINQCl6wjRWCpMFT4cJox4o42mrWqrgBdBRrVfbHBWf5A79TfOzn7doxSuNn82L24JK+sX' +
      'nykXupW6Dmm9gV7bHWbdJaV/YE7i0eAsPsPDJLh8ax03sHSDZqv9uyBC+vjwkBiBGIvwaCE38QI6DZR4J0Tq9PmswzHCuA=='
    const opened = await createOpener(keys).open(toSealedSecret(Buffer.from(stored, 'base64')), binding)
    expect(opened).toBe('correct horse battery staple')
  })
})

test('does not seal text that UTF-8 cannot represent', async () => {
  await expect(sealer.seal('\ud800', binding)).rejects.toThrow(TypeError)
})

describe('rotation', () => {
  const both = privateKeys(`${newPair.privateEntry},${oldPair.privateEntry}`)
  const newSealer = createSealer(publicKeys(`${newPair.publicEntry},${oldPair.publicEntry}`))

  test('seals with the first key and opens with all', async () => {
    const [sealedBefore, sealedAfter] = await Promise.all([sealer.seal('old', binding), newSealer.seal('new', binding)])
    const openerOfBoth = createOpener(both)
    expect(await openerOfBoth.open(sealedBefore, binding)).toBe('old')
    expect(await openerOfBoth.open(sealedAfter, binding)).toBe('new')
    expect(await codeOf(() => opener.open(sealedAfter, binding))).toBe('unknown_key')
  })

  test('reseals a secret of an older key, so that the older key can be removed', async () => {
    const before = await sealer.seal('secret', binding)
    expect(sealer.needsResealing(before)).toBe(false)
    expect(newSealer.needsResealing(before)).toBe(true)
    const after = await reseal(before, binding, { opener: createOpener(both), sealer: createSealer(both) })
    expect(newSealer.needsResealing(after)).toBe(false)
    expect(await createOpener(privateKeys(newPair.privateEntry)).open(after, binding)).toBe('secret')
  })

  test('does not move a secret to another binding', async () => {
    const sealed = await sealer.seal('secret', binding)
    const otherBinding = { ...binding, projectId: 'prj_2' }
    const code = await codeOf(() => reseal(sealed, otherBinding, { opener: createOpener(both), sealer: newSealer }))
    expect(code).toBe('not_authentic')
  })
})

test('types prevent opening with public keys, and using plain bytes as a sealed secret', () => {
  expectTypeOf<SealingPublicKeys>().not.toExtend<SealingPrivateKeys>()
  expectTypeOf<SealingPrivateKeys>().toExtend<SealingPublicKeys>()
  expectTypeOf<Uint8Array>().not.toExtend<SealedSecret>()
})

async function codeOf(attempt: () => Promise<unknown>): Promise<SealedSecretErrorCode> {
  try {
    await attempt()
  } catch (error) {
    if (error instanceof SealedSecretError) return error.code
    throw error
  }
  throw new Error('the secret opened')
}

function publicKeys(text: string): SealingPublicKeys {
  const parsed = parseSealingPublicKeys(text)
  if (!parsed.ok) throw new Error(parsed.errors.join())
  return parsed.keys
}

function privateKeys(text: string): SealingPrivateKeys {
  const parsed = parseSealingPrivateKeys(text)
  if (!parsed.ok) throw new Error(parsed.errors.join())
  return parsed.keys
}
