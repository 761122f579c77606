/** What a key may do. An admin key has all. */
export const scopes = [
  'agent:read',
  'agent:write',
  'analytics:read',
  'analytics:write',
  'project:read',
  'project:write',
] as const
export type Scope = (typeof scopes)[number]
