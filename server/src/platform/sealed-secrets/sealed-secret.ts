import { Aes256Gcm, CipherSuite, DecapError, DhkemX25519HkdfSha256, HkdfSha256, OpenError } from '@hpke/core'
import {
  type SealingKeyId,
  type SealingPrivateKeys,
  type SealingPublicKeys,
  sealingKeyIdBytes,
} from './sealing-keys.ts'

// Secrets at rest: whoever holds the public keys can seal, only a holder of the private keys can open (HPKE, RFC 9180,
// base mode). A sealed secret says nothing about who sealed it: whoever can write the row can put another secret there,
// or put back an older one of the same row.
//
// X25519 rather than P-256: half as long, and @hpke/core runs it on Node's own WebCrypto, so it costs no further
// dependency (the separate package for it is for runtimes that lack it).
const suite = new CipherSuite({ kem: new DhkemX25519HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() })

// Layout: version (1 byte), key id (8), encapsulated key (32), ciphertext with its tag. All before the ciphertext has a
// fixed length, so SQL can count the rows per key: `substring(sealed from 2 for 8)`.
const version = 1
const keyIdStart = 1
const encapsulatedKeyStart = keyIdStart + sealingKeyIdBytes
const ciphertextStart = encapsulatedKeyStart + suite.kem.encSize

// Secrets are padded to a multiple of this, so that the length of a password does not show, nor which of a vendor's
// token formats it is. Tokens fit in one block; private keys take more.
const paddedBlockBytes = 256
const paddingMark = 0x80

declare const sealedSecret: unique symbol
/** For a `bytea` column. */
export type SealedSecret = Uint8Array & { readonly [sealedSecret]: true }

/** The one place a sealed secret belongs to. Moved to another, it does not open. */
export type SecretBinding = { readonly projectId: string; readonly credentialId: string; readonly kind: string }

/** `unknown_format` also covers what a newer version of this program has written. */
export type SealedSecretErrorCode = 'unknown_format' | 'unknown_key' | 'not_authentic'

const messages: Record<SealedSecretErrorCode, string> = {
  unknown_format: 'not a sealed secret that this version can read',
  unknown_key: 'sealed with a key that is not configured here',
  // The two cannot be told apart, by design of the cipher.
  not_authentic: 'the sealed secret was altered, or belongs to another place',
}

/** Carries no cause: an error ends up in logs, and nothing from inside the cipher should. */
export class SealedSecretError extends Error {
  override readonly name = 'SealedSecretError'
  readonly code: SealedSecretErrorCode

  constructor(code: SealedSecretErrorCode) {
    super(messages[code])
    this.code = code
  }
}

export type Sealer = {
  seal(secret: string, binding: SecretBinding): Promise<SealedSecret>
  /** True when sealed with any other key than the one that seals now. */
  needsResealing(sealed: SealedSecret): boolean
}

export type Opener = {
  /** Throws SealedSecretError. */
  open(sealed: SealedSecret, binding: SecretBinding): Promise<string>
}

/** From what the database returned. Throws SealedSecretError. */
export function asSealedSecret(bytes: Uint8Array): SealedSecret {
  const hasWholeBlocks = (bytes.length - ciphertextStart - suite.aead.tagSize) % paddedBlockBytes === 0
  if (bytes[0] !== version || bytes.length <= ciphertextStart + suite.aead.tagSize || !hasWholeBlocks) {
    throw new SealedSecretError('unknown_format')
  }
  return bytes as SealedSecret
}

export function createSealer([current]: SealingPublicKeys): Sealer {
  const header = Buffer.concat([Buffer.of(version), Buffer.from(current.id, 'hex')])
  return {
    async seal(secret, binding) {
      const { enc, ct } = await suite.seal(
        { recipientPublicKey: current.publicKey, info: infoOf(binding) },
        padded(secret),
      )
      return asSealedSecret(Buffer.concat([header, Buffer.from(enc), Buffer.from(ct)]))
    },
    needsResealing: (sealed) => keyIdOf(sealed) !== current.id,
  }
}

export function createOpener(keys: SealingPrivateKeys): Opener {
  const keysById = new Map(keys.map((key) => [key.id, key]))
  return {
    async open(sealed, binding) {
      const recipientKey = keysById.get(keyIdOf(sealed))
      if (recipientKey === undefined) throw new SealedSecretError('unknown_key')
      const enc = sealed.subarray(encapsulatedKeyStart, ciphertextStart)
      try {
        return unpadded(
          await suite.open({ recipientKey, enc, info: infoOf(binding) }, sealed.subarray(ciphertextStart)),
        )
      } catch (error) {
        if (error instanceof OpenError || error instanceof DecapError) throw new SealedSecretError('not_authentic')
        throw error
      }
    },
  }
}

/**
 * The same secret under the sealer's current key. Write it back only where the row still holds `sealed`: the secret may
 * have been replaced meanwhile.
 */
export async function reseal(
  sealed: SealedSecret,
  binding: SecretBinding,
  { opener, sealer }: { opener: Opener; sealer: Sealer },
): Promise<SealedSecret> {
  return sealer.seal(await opener.open(sealed, binding), binding)
}

function keyIdOf(sealed: SealedSecret): SealingKeyId {
  return Buffer.from(sealed.subarray(keyIdStart, encapsulatedKeyStart)).toString('hex') as SealingKeyId
}

// RFC 9180, 8.1: for one message per key, what is to be authenticated beside it goes into `info`. As a JSON array, so
// that no two bindings give the same bytes.
function infoOf({ projectId, credentialId, kind }: SecretBinding): Uint8Array {
  return Buffer.from(JSON.stringify(['colophon sealed secret', version, projectId, credentialId, kind]))
}

function padded(secret: string): Uint8Array {
  // UTF-8 would silently replace a lone surrogate, and another secret would come out than went in.
  if (!secret.isWellFormed()) throw new TypeError('a secret must be well-formed Unicode')
  const secretBytes = Buffer.byteLength(secret)
  const block = Buffer.alloc(Math.ceil((secretBytes + 1) / paddedBlockBytes) * paddedBlockBytes)
  block.write(secret)
  block[secretBytes] = paddingMark
  return block
}

function unpadded(block: ArrayBuffer): string {
  const bytes = new Uint8Array(block)
  const end = bytes.findLastIndex((byte) => byte !== 0)
  if (bytes[end] !== paddingMark) throw new SealedSecretError('unknown_format')
  return Buffer.from(bytes.subarray(0, end)).toString()
}
