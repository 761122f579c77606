import type { ApiKey } from '@colophon/sdk'

export type Scope = ApiKey['scopes'][number]

/** What each scope allows, in the order in which they are shown. */
export const scopeDescriptions: readonly { scope: Scope; description: string }[] = [
  { scope: 'agent:read', description: 'Read jobs, events, diffs and models' },
  { scope: 'agent:write', description: 'Create jobs, send messages, cancel and archive jobs, test models' },
  { scope: 'agent:approve', description: 'Approve and reject results that await approval' },
  { scope: 'analytics:read', description: 'Read page views' },
  { scope: 'analytics:write', description: 'Send page views from a server' },
  { scope: 'project:read', description: 'Read settings, repository, members, API keys, runners and the audit log' },
  {
    scope: 'project:write',
    description: 'Change settings, repository, members, API keys, site keys and runners; pause the project',
  },
]

export const allScopes: readonly Scope[] = scopeDescriptions.map(({ scope }) => scope)

/** One label for a key that has every scope, because seven are too many for a table cell. */
export const formatScopes = (scopes: readonly Scope[]): readonly string[] =>
  allScopes.every((scope) => scopes.includes(scope)) ? ['All scopes'] : scopes
