/** The highest first. */
export const memberRoles = ['owner', 'editor', 'viewer'] as const
export type MemberRole = (typeof memberRoles)[number]

export const isLower = (role: MemberRole, than: MemberRole): boolean =>
  memberRoles.indexOf(role) > memberRoles.indexOf(than)
