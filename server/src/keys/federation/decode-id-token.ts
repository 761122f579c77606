/** Decodes an ID token without trusting it: to find the issuer whose keys verify it, and to reject what no CI service sends. */
import { createHash } from 'node:crypto'
import { TokenRejection } from './token-rejection.ts'

export interface DecodedIdToken {
  keyId: string
  issuer: string
  audience: string
  /**
   * Of the signed text, by which a repeated token is recognized. Not of the whole token: the same signature can be written in several
   * ways.
   */
  hash: Buffer
}

/** Asymmetric only: with a symmetric one, the public key of the issuer would be the secret. */
export const allowedAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]

export const maxIdTokenCharacters = 10_000

/** They name a key, or where to get one. Colophon uses only the keys that the issuer publishes. */
const headersWithKeys = ['jku', 'jwk', 'x5u', 'x5c', 'crit', 'b64', 'zip', 'enc']

export function decodeIdToken(token: string): DecodedIdToken {
  const [, header = '', payload = ''] = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(token) ?? []
  if (header === '' || token.length > maxIdTokenCharacters) throw malformed('it does not consist of three parts')
  const { alg, kid, typ, ...others } = decodePart(header)
  if (typeof alg !== 'string' || !allowedAlgorithms.includes(alg))
    throw new TokenRejection('algorithm_not_allowed', {
      hint: 'It must be signed with an asymmetric algorithm, such as RS256.',
    })
  if (typeof kid !== 'string' || kid === '' || kid.length > 200) throw malformed('its header has no kid')
  if (typ !== undefined && String(typ).toUpperCase() !== 'JWT') throw malformed('its typ is not JWT')
  const unexpected = headersWithKeys.find((name) => Object.hasOwn(others, name))
  if (unexpected !== undefined) throw malformed(`its header contains ${unexpected}`)
  const { iss, aud } = decodePart(payload)
  if (typeof iss !== 'string') throw malformed('it has no issuer')
  const audience = Array.isArray(aud) && aud.length === 1 ? aud[0] : aud
  // With several audiences, each of them could exchange the token.
  if (typeof audience !== 'string') throw malformed('it does not have exactly one audience')
  return {
    keyId: kid,
    issuer: iss,
    audience,
    hash: createHash('sha256').update(`${header}.${payload}`).digest(),
  }
}

const malformed = (what: string) =>
  new TokenRejection('malformed', { detail: { because: what }, hint: `It is not an ID token: ${what}.` })

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decodePart(part: string): Record<string, unknown> {
  const bytes = Buffer.from(part, 'base64url')
  if (bytes.toString('base64url') !== part) throw malformed('it is not canonical base64url')
  const value = parseJson(bytes)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed('a part is not a JSON object')
  return value as Record<string, unknown>
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    const text = utf8.decode(bytes)
    const value: unknown = JSON.parse(text)
    if (!hasDuplicateMembers(text)) return value
  } catch (error) {
    throw new TokenRejection('malformed', { hint: 'It is not an ID token: a part is not JSON.', cause: error })
  }
  throw malformed('an object has two members of the same name')
}

/**
 * Of valid JSON. `JSON.parse` takes the last of several members with the same name, and other programs the first: what was checked elsewhere
 * would not be what is used here.
 */
function hasDuplicateMembers(json: string): boolean {
  const names: Set<string>[] = []
  for (const [text, string, colon] of json.matchAll(/("(?:[^"\\]|\\.)*")\s*(:)?|[{}]/g)) {
    if (text === '{') names.push(new Set())
    else if (text === '}') names.pop()
    else if (colon !== undefined && string !== undefined) {
      const name = JSON.parse(string) as string
      if (names.at(-1)?.has(name)) return true
      names.at(-1)?.add(name)
    }
  }
  return false
}
