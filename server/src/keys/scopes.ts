/** What an API key may do. An admin key has all scopes. */
export const scopes = [
  'agent:read',
  'agent:write',
  'agent:approve',
  'analytics:read',
  'analytics:write',
  'project:read',
  'project:write',
] as const
export type Scope = (typeof scopes)[number]
