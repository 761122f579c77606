import type { ApiKey } from '@colophon/sdk'

export type Scope = ApiKey['scopes'][number]

/** What a key may do, in words; in the order in which they are offered. */
export const scopeWords: readonly { scope: Scope; words: string }[] = [
  { scope: 'agent:read', words: 'See jobs, what the agent did, and the models' },
  { scope: 'agent:write', words: 'Post jobs and messages, cancel and archive' },
  { scope: 'analytics:read', words: 'Read page views' },
  { scope: 'analytics:write', words: 'Tell of page views, as a site’s server does' },
  { scope: 'project:read', words: 'See settings, members, keys and the audit log' },
  { scope: 'project:write', words: 'Change settings and members, make and revoke keys' },
]

export const allScopes: readonly Scope[] = scopeWords.map(({ scope }) => scope)

/** `admin` for a key that may do everything: shorter than six names, and what people look for. */
export const scopesInShort = (scopes: readonly Scope[]): readonly string[] =>
  allScopes.every((scope) => scopes.includes(scope)) ? ['admin: everything'] : scopes
