import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'

// Sealing keys as the operator configures them: a comma-separated list of `<key id>:<base64>`. The first key seals, all
// of them open.
//
// The base64 is the standard DER of an X25519 key (RFC 8410): SPKI for the public half, PKCS#8 for the private half.
// Raw keys would be shorter, but any 32 bytes are both a valid X25519 public key and a valid private one, so a private
// key pasted into the public setting would go unnoticed.
//
// The key id is the fingerprint of the public half. So both halves have the same id, two keys never share one, and a
// mistyped key is found at startup instead of sealing secrets that cannot be opened.
//
// To rotate while several processes run: append the new private key in `worker`; put the new key first in `api` and
// `worker`; reseal every row; remove the old key. `worker` must have a key before anything is sealed with it.

declare const sealingKeyId: unique symbol
/** 16 hexadecimal digits. */
export type SealingKeyId = string & { readonly [sealingKeyId]: true }

export const sealingKeyIdBytes = 8

type CryptoKey = ReturnType<KeyObject['toCryptoKey']>
type SealingPublicKey = { readonly id: SealingKeyId; readonly publicKey: CryptoKey }
type SealingPrivateKey = SealingPublicKey & { readonly privateKey: CryptoKey }
type CurrentAndOlder<Key> = readonly [current: Key, ...older: Key[]]

export type SealingPublicKeys = CurrentAndOlder<SealingPublicKey>
/** Includes the public halves, so it can be used wherever `SealingPublicKeys` are required. */
export type SealingPrivateKeys = CurrentAndOlder<SealingPrivateKey>

/** Error messages name a key by its position in the list, never by its text, which may be a secret. */
export type SealingKeysParseResult<Keys> =
  | { readonly ok: true; readonly keys: Keys }
  | { readonly ok: false; readonly errors: readonly string[] }

export function parseSealingPublicKeys(text: string): SealingKeysParseResult<SealingPublicKeys> {
  return parseKeys(text, (entry) => {
    const key = parseEntry(entry)
    if (typeof key === 'string') return key
    return 'privateKey' in key ? 'is a private key: use its public half here' : key
  })
}

export function parseSealingPrivateKeys(text: string): SealingKeysParseResult<SealingPrivateKeys> {
  return parseKeys(text, (entry) => {
    const key = parseEntry(entry)
    if (typeof key === 'string') return key
    return 'privateKey' in key ? key : 'is a public key: use its private half here'
  })
}

/** Both halves of a new key, as the entries to configure. */
export function generateSealingKeyPair(): { publicEntry: string; privateEntry: string } {
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  const id = fingerprintOf(publicKey)
  return {
    publicEntry: `${id}:${spkiOf(publicKey).toString('base64')}`,
    privateEntry: `${id}:${privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')}`,
  }
}

function parseKeys<Key extends SealingPublicKey>(
  text: string,
  parse: (entry: string) => Key | string,
): SealingKeysParseResult<CurrentAndOlder<Key>> {
  if (text.trim() === '') return { ok: false, errors: ['contains no key'] }
  const keys: Key[] = []
  const errors: string[] = []
  for (const [index, entry] of text.split(',').entries()) {
    const key = parse(entry.trim())
    if (typeof key === 'string') errors.push(`key ${index + 1} ${key}`)
    else if (keys.some((earlier) => earlier.id === key.id)) errors.push(`key ${index + 1} is a duplicate`)
    else keys.push(key)
  }
  const [current, ...older] = keys
  return current === undefined || errors.length > 0 ? { ok: false, errors } : { ok: true, keys: [current, ...older] }
}

function parseEntry(entry: string): SealingPublicKey | SealingPrivateKey | string {
  const [, id, base64] = /^([0-9a-f]{16}):([0-9A-Za-z+/]+={0,2})$/.exec(entry) ?? []
  if (id === undefined || base64 === undefined) return 'must have the form <key id>:<base64>'
  const key = parseX25519(Buffer.from(base64, 'base64'))
  if (key === undefined) return 'is not an X25519 key: it may be truncated or mistyped'
  const publicKey = key.type === 'private' ? createPublicKey(key) : key
  const fingerprint = fingerprintOf(publicKey)
  if (fingerprint !== id) return 'does not match its key id: one of the two is mistyped'
  // HPKE needs the bytes of the public half, so it must be extractable; the private half need not be.
  const publicHalf = { id: fingerprint, publicKey: publicKey.toCryptoKey('X25519', true, []) }
  return key.type === 'private'
    ? { ...publicHalf, privateKey: key.toCryptoKey('X25519', false, ['deriveBits']) }
    : publicHalf
}

function parseX25519(der: Buffer): KeyObject | undefined {
  for (const parse of [
    () => createPublicKey({ key: der, format: 'der', type: 'spki' }),
    () => createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }),
  ]) {
    try {
      const key = parse()
      if (key.asymmetricKeyType === 'x25519') return key
    } catch {
      // Not this half. OpenSSL's message adds no information.
    }
  }
  return undefined
}

function fingerprintOf(publicKey: KeyObject): SealingKeyId {
  const digest = createHash('sha256').update(spkiOf(publicKey)).digest()
  return digest.toString('hex', 0, sealingKeyIdBytes) as SealingKeyId
}

function spkiOf(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' })
}
