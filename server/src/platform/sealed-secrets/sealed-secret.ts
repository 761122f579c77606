import { Aes256Gcm, CipherSuite, DecapError, DhkemX25519HkdfSha256, HkdfSha256, OpenError } from '@hpke/core'
import {
  type SealingKeyId,
  type SealingPrivateKeys,
  type SealingPublicKeys,
  sealingKeyIdBytes,
} from './sealing-keys.ts'

// Secrets at rest: a process with the public keys can seal, only one with the private keys can open (HPKE, RFC 9180,
// base mode). A sealed secret does not authenticate the process that sealed it: an attacker who can write the row can
// store another secret there, or restore an older one of the same row.
//
// X25519 rather than P-256: its keys are half as long, and @hpke/core runs it on Node's own WebCrypto, so it needs no
// further dependency (the separate package for it is for runtimes that lack it).
const suite = new CipherSuite({ kem: new DhkemX25519HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() })

// Layout: version (1 byte), key id (8), encapsulated key (32), ciphertext with its tag. Everything before the
// ciphertext has a fixed length, so SQL can count the rows per key: `substring(sealed from 2 for 8)`.
const version = 1
const keyIdStart = 1
const encapsulatedKeyStart = keyIdStart + sealingKeyIdBytes
const ciphertextStart = encapsulatedKeyStart + suite.kem.encSize

// Secrets are padded to a multiple of this, so that their length reveals neither that of a password nor which of a
// vendor's token formats it is. Tokens fit in one block; private keys take more.
const paddedBlockBytes = 256
const paddingMark = 0x80

declare const sealedSecret: unique symbol
/** For a `bytea` column. */
export type SealedSecret = Uint8Array & { readonly [sealedSecret]: true }

/** The row that a sealed secret belongs to. Moved to another row, it does not open. */
export type SecretBinding = { readonly projectId: string; readonly credentialId: string; readonly kind: string }

/** `unknown_format` includes secrets that a newer version of Colophon has sealed. */
export type SealedSecretErrorCode = 'unknown_format' | 'unknown_key' | 'not_authentic'

const messages: Record<SealedSecretErrorCode, string> = {
  unknown_format: 'not a sealed secret, or sealed by a newer version',
  unknown_key: 'sealed with a key that is not configured',
  // The cipher cannot distinguish the two, by design.
  not_authentic: 'the sealed secret was modified, or belongs to another row',
}

/** Has no cause: errors end up in logs, and internals of the cipher must not. */
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
  /** True when the secret was sealed with another key than the current one. */
  needsResealing(sealed: SealedSecret): boolean
}

export type Opener = {
  /** Throws SealedSecretError. */
  open(sealed: SealedSecret, binding: SecretBinding): Promise<string>
}

/** Checks the format of bytes from the database. Throws SealedSecretError. */
export function toSealedSecret(bytes: Uint8Array): SealedSecret {
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
      return toSealedSecret(Buffer.concat([header, Buffer.from(enc), Buffer.from(ct)]))
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
 * Seals the same secret with the sealer's current key. Write it back only where the row still contains `sealed`: the
 * secret may have been replaced in the meantime.
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

// RFC 9180, 8.1: with one message per key, additional authenticated data goes into `info`. Encoded as a JSON array, so
// that no two bindings give the same bytes.
function infoOf({ projectId, credentialId, kind }: SecretBinding): Uint8Array {
  return Buffer.from(JSON.stringify(['colophon sealed secret', version, projectId, credentialId, kind]))
}

function padded(secret: string): Uint8Array {
  // UTF-8 would silently replace a lone surrogate, and the opened secret would differ from the sealed one.
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
