/** From the highest to the lowest. */
export const memberRoles = ['owner', 'editor', 'viewer'] as const
export type MemberRole = (typeof memberRoles)[number]

export const isLowerRole = (role: MemberRole, than: MemberRole): boolean =>
  memberRoles.indexOf(role) > memberRoles.indexOf(than)
