import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

// A key is `<prefix><32 random base62 characters><6 base62 characters of CRC-32 over all before>`. The prefix lets
// scanners find a leaked key; the checksum lets them drop look-alikes, and lets us refuse a mistyped key without asking
// the database. It protects against accidents only: anybody can compute it.

/**
 * Add a prefix only if its text after a shorter prefix holds a character outside base62 (here the second underscore):
 * that keeps a key of one kind from ever reading as another.
 */
export const keyPrefixes = ['colophon_', 'colophon_runner_', 'colophon_attempt_'] as const
export type KeyPrefix = (typeof keyPrefixes)[number]

declare const keyPrefix: unique symbol
/** The secret itself: never stored, never logged. */
export type Key<Prefix extends KeyPrefix> = string & { readonly [keyPrefix]: Prefix }
export type ApiKey = Key<'colophon_'>
export type RunnerToken = Key<'colophon_runner_'>

declare const keyHash: unique symbol
/** 32 bytes, for a `bytea` column with a unique index. */
export type KeyHash<Prefix extends KeyPrefix> = Buffer & { readonly [keyHash]: Prefix }

/**
 * For secret scanners, in the subset that RE2, PCRE and Hyperscan share. It has no word boundary in front, because keys
 * also leak as `%3Dcolophon_…`. To drop look-alikes, check the last 6 characters (see above).
 */
export const leakedKeyPattern = /colophon_(?:runner_|attempt_)?[0-9A-Za-z]{38}/g

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretCharacters = 32 // 190 bits
const checksumCharacters = 6 // the fewest that hold 32 bits
const hintCharacters = 4

export function generateKey<Prefix extends KeyPrefix>(prefix: Prefix): Key<Prefix> {
  const body = prefix + randomBase62(secretCharacters)
  return (body + checksumOf(body)) as Key<Prefix>
}

/** Undefined when it is no key with this prefix, or a mistyped one. */
export function parseKey<Prefix extends KeyPrefix>(prefix: Prefix, text: string): Key<Prefix> | undefined {
  if (!text.startsWith(prefix) || !/^[0-9A-Za-z]{38}$/.test(text.slice(prefix.length))) return undefined
  const body = text.slice(0, -checksumCharacters)
  return text === body + checksumOf(body) ? (text as Key<Prefix>) : undefined
}

/**
 * What is stored, and what a key is looked up by. Neither salt nor a slow hash: 190 random bits cannot be guessed.
 * The lookup needs no constant time: its timing may tell how far the hash of a guess agrees with a stored hash, and
 * that leads to no key without inverting SHA-256.
 */
export function hashOfKey<Prefix extends KeyPrefix>(key: Key<Prefix>): KeyHash<Prefix> {
  return createHash('sha256').update(key).digest() as KeyHash<Prefix>
}

/**
 * By which people know a key in a list, such as `colophon_x7Qa…`. It gives away 24 of the 190 bits. The first
 * characters and not the last, because those are the checksum, which speaks about the whole secret.
 */
export function displayPrefixOf(key: Key<KeyPrefix>): string {
  const prefixCharacters = key.lastIndexOf('_') + 1
  return `${key.slice(0, prefixCharacters + hintCharacters)}…`
}

function randomBase62(length: number): string {
  // 248 is the largest multiple of 62 in a byte: above it, the first characters would come up more often.
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) if (byte < 248) text += base62.charAt(byte % 62)
  }
  return text
}

function checksumOf(body: string): string {
  let text = ''
  for (let rest = crc32(body); text.length < checksumCharacters; rest = Math.floor(rest / 62)) {
    text = base62.charAt(rest % 62) + text
  }
  return text
}
