/** Which new passwords are rejected because they are easy to guess. Passwords that people already have stay valid. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Problem } from '../platform/http/problem.ts'

/** docs/decisions/accounts.md says where the list comes from. */
const listFile = join(import.meta.dirname, '../../data/common-passwords.txt.gz')
const minDistinctCharacters = 5
/** Characters that must remain when the words about the person are taken out of a password. */
const minOwnCharacters = 8
const minWordCharacters = 4

let commonPasswords: ReadonlySet<string> | undefined

/** Read when it is first needed: only `api` sets passwords. */
function loadCommonPasswords(): ReadonlySet<string> {
  commonPasswords ??= new Set(gunzipSync(readFileSync(listFile)).toString().trimEnd().split('\n'))
  return commonPasswords
}

export const countCommonPasswords = (): number => loadCommonPasswords().size

export function assertHardToGuess(password: string, person: { name: string; email: string }): void {
  const normalized = normalize(password)
  const withoutSpaces = normalized.replace(/\s/g, '')
  const common = loadCommonPasswords()
  if (common.has(normalized) || common.has(withoutSpaces) || new Set(withoutSpaces).size < minDistinctCharacters)
    throw new Problem(
      'invalid_request',
      'This password is on the list of common passwords, which attackers try first. Choose another one, for example a few words that you can remember.',
    )
  let own = withoutSpaces
  for (const word of wordsAbout(person)) own = own.replaceAll(word, '')
  if (own !== withoutSpaces && own.replace(/[^\p{L}\p{N}]/gu, '').length < minOwnCharacters)
    throw new Problem(
      'invalid_request',
      'This password consists mostly of your name, your email address or the name Colophon. Choose one that does not.',
    )
}

const normalize = (text: string) => text.normalize('NFKC').toLowerCase()

/** Longest first, so that taking out a word does not leave parts of a longer one. */
function wordsAbout({ name, email }: { name: string; email: string }): string[] {
  const parts = [name, email].flatMap((text) => normalize(text).split(/[^\p{L}\p{N}]+/u))
  const whole = [normalize(email), normalize(name).replace(/\s/g, '')]
  return ['colophon', ...whole, ...parts]
    .filter((word) => word.length >= minWordCharacters)
    .sort((a, b) => b.length - a.length)
}
