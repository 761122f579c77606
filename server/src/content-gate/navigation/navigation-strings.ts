/** Strings in navigation reach the page, some of them as HTML. */
import type { NavigationProblem, NavigationStrings } from './edit-outcome.ts'

const allowedScheme = /^(?:https?|mailto):/i
const scheme = /^[\s\p{Cc}]*[a-z][a-z0-9+.-]*\s*:(?!:)\S/iu

/** Only strings that the navigation did not contain before are checked. */
export function findUnsafeString({ before, after }: NavigationStrings): NavigationProblem | undefined {
  for (const { text, isKey, line } of after) {
    if (before.has(text)) continue
    const reason = isKey ? reasonOfKey(text) : reasonOfValue(text)
    if (reason !== undefined) return { text: `${JSON.stringify(text.slice(0, 100))} is not allowed: ${reason}`, line }
  }
  return undefined
}

function reasonOfKey(key: string): string | undefined {
  if (/(?:^|[\s/"'])on[a-z]{3,}/i.test(key) && !/^(?:only|once|online|onboarding|one[\w-]*)\b/i.test(key))
    return 'a name that starts with "on" can be an event handler'
  if (key === '__proto__' || key === 'constructor') return 'this name has a meaning in JavaScript'
  if (/^(?:dangerouslySetInnerHTML|innerHTML|html|rawHtml)$/i.test(key)) return 'it contains HTML'
  return key.includes('<') ? 'it contains HTML' : undefined
}

function reasonOfValue(value: string): string | undefined {
  if (value.includes('<')) return 'it can contain HTML'
  if (value.startsWith('!')) return 'it can be an instruction to a plugin'
  if (value === 'html') return 'an item of the type html contains HTML'
  if (/\{\{|\{%|\$\{/.test(value)) return 'it can contain a template'
  const compact = value.replaceAll(/[\s\p{Cc}\u00ad\u200b-\u200f\ufeff]/gu, '')
  if (/(?:^|[^\w])(?:javascript|vbscript|data|file|blob):/i.test(compact))
    return 'only links with http, https and mailto are allowed'
  if (/["'][\s/]*[\w:@-]+\s*=/.test(value)) return 'it can contain an attribute'
  if (/&(?:#\d|#x|colon|tab|newline|lt)/i.test(value)) return 'it contains an HTML entity'
  if (scheme.test(value) && !allowedScheme.test(value) && !/\s/.test(value))
    return 'only links with http, https and mailto are allowed'
  if (!allowedScheme.test(value) && /(?:^|[\\/])\.\.(?:[\\/]|$)/.test(value)) return 'it leaves the folder'
  return undefined
}
