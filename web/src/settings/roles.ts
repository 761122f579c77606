import type { Member } from '@colophon/sdk'

export const roles: readonly { value: Member['role']; label: string; may: string }[] = [
  { value: 'viewer', label: 'Viewer', may: 'sees jobs, page views and settings' },
  { value: 'editor', label: 'Editor', may: 'also starts jobs and answers them' },
  { value: 'owner', label: 'Owner', may: 'also changes settings, keys and members' },
]

export const roleNamed = (value: string | null): Member['role'] =>
  roles.find((role) => role.value === value)?.value ?? 'viewer'
