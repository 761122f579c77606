/**
 * Removes from an error message what could identify a person, a project, a host or a page: everything but plain words. A list of
 * patterns to remove would miss what it does not know, so this is a list of what stays.
 */

const mask = '[…]'

/** Names that say which component failed. */
const knownNames = new Set(['PostgreSQL', 'ClickHouse', 'Temporal', 'GitHub', 'Gitea', 'Forgejo'])

/** What a message may quote is a name or a value, however plain its words are. */
const quoted = /"[^"]*"|'[^']*'|`[^`]*`|«[^»]*»|“[^”]*”|\([^)]*\)=\([^)]*\)/g

export function maskText(text: string): string {
  const words = text.replace(quoted, mask).trim().split(/\s+/)
  const masked = words.map((word, index) => (isPlain(word, index === 0) ? word : mask))
  return masked.filter((word, index) => word !== mask || masked[index - 1] !== mask).join(' ')
}

function isPlain(word: string, isFirst: boolean): boolean {
  if (word.includes(mask)) return word === mask
  const bare = word.replace(/^[([]+/, '').replace(/[)\],.:;!?]+$/, '')
  if (bare === '' || knownNames.has(bare)) return true
  if (/^[a-z]+(?:['-][a-z]+)?$/.test(bare)) return bare.length <= 20
  if (/^[A-Z][A-Z_]{1,30}$/.test(bare)) return true // like ECONNREFUSED or CHECK
  if (/^\d{1,6}(?:ms|s|MB|%)?$/.test(bare)) return true
  return isFirst && /^[A-Z][a-z]{0,15}(?:Error)?$/.test(bare)
}

/** Frames of a stack trace, with only the part of a path that is in the repository or in a package. */
export function stackFrames(stack: string): string[] {
  return [...stack.matchAll(/^\s+at .*?\b((?:server\/src|node_modules|node:)[\w@./:-]*:\d+:\d+)\)?$/gm)].map(
    ([, place]) => place ?? '',
  )
}
