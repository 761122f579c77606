/** A passkey in memory, with what a browser adds to it. Tests can make it do what a real authenticator refuses to. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type {
  AddPasskeyData,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
  SignInWithPasskeyData,
} from '../../sdk/src/index.ts'

export interface AuthenticatorUse {
  /** Of the page on which it is used. */
  origin: string
  /** Only touched, without a PIN, a fingerprint or a face. */
  skipsUserVerification?: boolean
  /** The passkey belongs to another host. */
  rpId?: string
  /** Signed a challenge that it was given before. */
  challenge?: string
  /** How often it has signed. 0, like most passkeys: it does not count. */
  counter?: number
}

type NewCredential = AddPasskeyData['body']['credential']
type SignedChallenge = SignInWithPasskeyData['body']

export interface SoftwareAuthenticator {
  create(options: PasskeyCreationOptions, use: AuthenticatorUse): NewCredential
  get(options: PasskeyRequestOptions, use: AuthenticatorUse): SignedChallenge
}

const userPresent = 0x01
const userVerified = 0x04
const hasPublicKey = 0x40

export function createSoftwareAuthenticator(): SoftwareAuthenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credentialId = randomBytes(32)
  const id = credentialId.toString('base64url')
  let userHandle: string | null = null

  const toClientData = (type: string, challenge: string, use: AuthenticatorUse) =>
    Buffer.from(
      JSON.stringify({
        type,
        challenge: use.challenge ?? challenge,
        origin: use.origin,
        crossOrigin: false,
      }),
    )
  const toAuthenticatorData = (rpId: string, flags: number, use: AuthenticatorUse) => {
    const numbers = Buffer.alloc(5)
    numbers.writeUInt8(flags | userPresent | (use.skipsUserVerification ? 0 : userVerified))
    numbers.writeUInt32BE(use.counter ?? 0, 1)
    return Buffer.concat([sha256(use.rpId ?? rpId), numbers])
  }

  return {
    create({ rp, user, challenge }, use) {
      userHandle = user.id
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
      const length = Buffer.alloc(2)
      length.writeUInt16BE(credentialId.length)
      const key = new Map<unknown, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ])
      const authData = Buffer.concat([
        toAuthenticatorData(rp.id, hasPublicKey, use),
        Buffer.alloc(16),
        length,
        credentialId,
        encodeCbor(key),
      ])
      const attestation = new Map<unknown, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ])
      return {
        id,
        response: {
          clientDataJSON: toClientData('webauthn.create', challenge, use).toString('base64url'),
          attestationObject: encodeCbor(attestation).toString('base64url'),
          transports: ['internal'],
        },
      }
    },
    get({ rpId, challenge }, use) {
      const clientData = toClientData('webauthn.get', challenge, use)
      const authenticatorData = toAuthenticatorData(rpId, 0, use)
      const signed = Buffer.concat([authenticatorData, sha256(clientData)])
      return {
        id,
        response: {
          clientDataJSON: clientData.toString('base64url'),
          authenticatorData: authenticatorData.toString('base64url'),
          signature: sign('sha256', signed, privateKey).toString('base64url'),
          userHandle,
        },
      }
    },
  }
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()

/** Small integers, short texts, byte strings and maps: all that WebAuthn needs. */
function encodeCbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? encodeHead(1, -1 - value) : encodeHead(0, value)
  if (Buffer.isBuffer(value)) return Buffer.concat([encodeHead(2, value.length), value])
  if (typeof value === 'string') return Buffer.concat([encodeHead(3, value.length), Buffer.from(value)])
  if (value instanceof Map)
    return Buffer.concat([encodeHead(5, value.size), ...[...value].flat().map((each) => encodeCbor(each))])
  throw new Error(`not supported in CBOR here: ${String(value)}`)
}

function encodeHead(majorType: number, count: number): Buffer {
  const type = majorType << 5
  if (count < 24) return Buffer.from([type | count])
  return count < 256 ? Buffer.from([type | 24, count]) : Buffer.from([type | 25, count >> 8, count & 0xff])
}
