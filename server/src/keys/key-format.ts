import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

// A key is `<prefix><32 random base62 characters><CRC-32 of everything before it as 6 base62 characters>`. The prefix
// lets scanners find a leaked key. The checksum lets them discard false positives, and lets Colophon reject a mistyped
// key without a database query. It protects only against accidents: anyone can compute it.

/**
 * If a new prefix begins with a shorter one, the rest of it must contain a character outside base62 (here the second
 * underscore). Otherwise a key of one kind could be parsed as another.
 */
export const keyPrefixes = ['colophon_', 'colophon_runner_', 'colophon_attempt_', 'colophon_drain_'] as const
export type KeyPrefix = (typeof keyPrefixes)[number]

declare const keyPrefix: unique symbol
/** The secret itself: never stored, never logged. */
export type KeySecret<Prefix extends KeyPrefix> = string & { readonly [keyPrefix]: Prefix }
export type ApiKeySecret = KeySecret<'colophon_'>
export type RunnerToken = KeySecret<'colophon_runner_'>

declare const keyHash: unique symbol
/** 32 bytes, for a `bytea` column with a unique index. */
export type KeyHash<Prefix extends KeyPrefix> = Buffer & { readonly [keyHash]: Prefix }

/**
 * For secret scanners, in the syntax that RE2, PCRE and Hyperscan share. It does not begin with a word boundary, because
 * keys also leak as `%3Dcolophon_…`. To discard false positives, verify the last 6 characters (see above).
 */
export const leakedKeyPattern = /colophon_(?:runner_|attempt_|drain_)?[0-9A-Za-z]{38}/g

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretCharacters = 32 // 190 bits
const checksumCharacters = 6 // the minimum for 32 bits
const displayedCharacters = 4

export function generateKey<Prefix extends KeyPrefix>(prefix: Prefix): KeySecret<Prefix> {
  const body = prefix + randomBase62(secretCharacters)
  return (body + checksumOf(body)) as KeySecret<Prefix>
}

/** Undefined if the text is not a key with this prefix, or a mistyped one. */
export function parseKeyWithPrefix<Prefix extends KeyPrefix>(
  prefix: Prefix,
  text: string,
): KeySecret<Prefix> | undefined {
  if (!text.startsWith(prefix) || !/^[0-9A-Za-z]{38}$/.test(text.slice(prefix.length))) return undefined
  const body = text.slice(0, -checksumCharacters)
  return text === body + checksumOf(body) ? (text as KeySecret<Prefix>) : undefined
}

/**
 * The stored hash, by which a key is looked up. Neither salted nor slow: 190 random bits cannot be guessed. The lookup
 * need not take constant time: its timing may reveal how many bytes the hash of a guess shares with a stored hash, and
 * that does not help to find a key without inverting SHA-256.
 */
export function hashKey<Prefix extends KeyPrefix>(key: KeySecret<Prefix>): KeyHash<Prefix> {
  return createHash('sha256').update(key).digest() as KeyHash<Prefix>
}

/**
 * Identifies a key in a list, such as `colophon_x7Qa…`. It reveals 24 of the 190 bits. It shows the first characters
 * and not the last, because those are the checksum, which depends on the whole secret.
 */
export function keyDisplayPrefix(key: KeySecret<KeyPrefix>): string {
  const prefixCharacters = key.lastIndexOf('_') + 1
  return `${key.slice(0, prefixCharacters + displayedCharacters)}…`
}

function randomBase62(length: number): string {
  // 248 is the largest multiple of 62 in a byte. Larger bytes would make the first characters more frequent.
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) if (byte < 248) text += base62.charAt(byte % 62)
  }
  return text
}

function checksumOf(body: string): string {
  let text = ''
  for (let remaining = crc32(body); text.length < checksumCharacters; remaining = Math.floor(remaining / 62)) {
    text = base62.charAt(remaining % 62) + text
  }
  return text
}
