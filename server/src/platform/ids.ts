import { typeidUnboxed } from 'typeid-js'

/** Type-prefixed, time-ordered identifiers (TypeID). A closed list: add the prefix of a new kind of object here. */
export type IdPrefix =
  | 'req'
  | 'prj'
  | 'mbr'
  | 'key'
  | 'fid'
  | 'crd'
  | 'aud'
  | 'job'
  | 'trn'
  | 'run'
  | 'mcl'
  | 'imp'
  | 'drn'
  | 'per'
  | 'ses'
  | 'inv'
  | 'gha'
  | 'psk'
  | 'end'
  | 'evt'
  | 'dlv'
export type Id<Prefix extends IdPrefix> = `${Prefix}_${string}`

export const newId = <const Prefix extends IdPrefix>(prefix: Prefix): Id<Prefix> => typeidUnboxed(prefix) as Id<Prefix>

const suffixPattern = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/

export function isId<const Prefix extends IdPrefix>(prefix: Prefix, text: string): text is Id<Prefix> {
  return text.startsWith(`${prefix}_`) && suffixPattern.test(text.slice(prefix.length + 1))
}
