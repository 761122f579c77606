import type { Member } from '@colophon/sdk'

/** From the lowest to the highest. */
export const roleOptions: readonly { value: Member['role']; label: string; description: string }[] = [
  { value: 'viewer', label: 'Viewer', description: 'can read jobs, page views and settings' },
  { value: 'editor', label: 'Editor', description: 'can also create jobs and send messages to them' },
  { value: 'owner', label: 'Owner', description: 'can also change settings, API keys, runners and members' },
]

export const parseRole = (value: string | null): Member['role'] =>
  roleOptions.find((role) => role.value === value)?.value ?? 'viewer'

export const isLowerRole = (role: Member['role'], than: Member['role']): boolean =>
  roleOptions.findIndex(({ value }) => value === role) < roleOptions.findIndex(({ value }) => value === than)
