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
    description: 'Full access: also change settings, repository, members, API keys and runners. Needs all other scopes',
  },
]

export const allScopes: readonly Scope[] = scopeDescriptions.map(({ scope }) => scope)

/** `project:write` requires all other scopes: checking it checks them, and unchecking one of them unchecks it. */
export function selectScopes(before: readonly Scope[], selected: readonly string[]): readonly Scope[] {
  const adds = selected.includes('project:write') && !before.includes('project:write')
  if (adds) return allScopes
  const isComplete = selected.length === allScopes.length
  return allScopes.filter((scope) => selected.includes(scope) && (scope !== 'project:write' || isComplete))
}

/** One label for a key that has every scope, because seven are too many for a table cell. */
export const formatScopes = (scopes: readonly Scope[]): readonly string[] =>
  allScopes.every((scope) => scopes.includes(scope)) ? ['All scopes'] : scopes
