export const memberRoles = ['owner', 'editor', 'viewer'] as const
export type MemberRole = (typeof memberRoles)[number]
