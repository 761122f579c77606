/** Roles that follow from the groups that the OpenID provider reports at each sign-in. */
import { sql } from 'kysely'
import { type Actor, recordAudit, recordInstanceAudit } from '../audit/audit-store.ts'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import type { Offboarding } from '../offboarding/offboarding.ts'
import { type Id, newId } from '../platform/ids.ts'
import { isLowerRole, type MemberRole } from './member-role.ts'
import { revokeInvitationsFor } from './revoke-invitations.ts'
import type { Person } from './session.ts'

/** `COLOPHON_OIDC_GROUP_ROLES`, parsed. */
export interface GroupGrant {
  group: string
  grants: 'operator' | { role: MemberRole; projectId: Id<'prj'> }
}

/** Whether the groups give a role anywhere, so that the person needs no invitation. */
export const admitsGroups = (grants: readonly GroupGrant[], groups: readonly string[]): boolean =>
  grants.some(({ group }) => groups.includes(group))

export class GroupRoleStore {
  readonly #db: Database
  readonly #offboarding: Offboarding

  constructor(db: Database, offboarding: Offboarding) {
    this.#db = db
    this.#offboarding = offboarding
  }

  /**
   * Gives the person the roles of their groups, and takes away roles that groups gave them before, with what they created. Roles from
   * invitations are raised, but never lowered or taken away.
   */
  async apply(grants: readonly GroupGrant[], personId: Id<'per'>, groups: readonly string[]): Promise<void> {
    if (grants.length === 0) return
    await this.#db.transaction().execute(async (tx) => {
      const person = await tx
        .selectFrom('person')
        .select(['id', 'email'])
        .where('id', '=', personId)
        .executeTakeFirstOrThrow()
      await applyOperator(tx, grants, personId, groups)
      const projectIds = new Set(grants.flatMap(({ grants: to }) => (to === 'operator' ? [] : [to.projectId])))
      for (const projectId of [...projectIds].sort()) {
        const roles = grants.flatMap(({ group, grants: to }) =>
          to !== 'operator' && to.projectId === projectId && groups.includes(group) ? [to.role] : [],
        )
        await this.#applyRole(tx, projectId, person, highestRole(roles))
      }
    })
  }

  async #applyRole(
    tx: DatabaseTransaction,
    projectId: Id<'prj'>,
    { id: personId, email }: Pick<Person, 'id' | 'email'>,
    role: MemberRole | undefined,
  ): Promise<void> {
    const project = await tx
      .selectFrom('project')
      .select('id')
      .where('id', '=', projectId)
      .where('deleted_at', 'is', null)
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (!project) return
    const actor: Actor = { kind: 'person', email }
    const member = await tx
      .selectFrom('project_member')
      .select(['id', 'role', 'person_id', 'from_groups'])
      .where('project_id', '=', projectId)
      .where('email', '=', email)
      .executeTakeFirst()
    if (role === undefined) {
      if (!member?.from_groups) return
      await this.#revoke(tx, { creator: email, projectId }, { memberId: member.id, actor })
      await tx.deleteFrom('project_member').where('project_id', '=', projectId).where('id', '=', member.id).execute()
      await recordAudit(tx, projectId, actor, {
        action: 'member.removed',
        subject: member.id,
        detail: { email, because: groupsReason },
      })
      return
    }
    if (!member) {
      const id = newId('mbr')
      await tx
        .insertInto('project_member')
        .values({ project_id: projectId, id, email, role, person_id: personId, from_groups: true })
        .execute()
      await recordAudit(tx, projectId, actor, {
        action: 'member.added',
        subject: id,
        detail: { email, role, because: groupsReason },
      })
      return
    }
    const isReserved = member.person_id === null
    if (!isReserved && (member.role === role || (!member.from_groups && isLowerRole(role, member.role)))) return
    await tx
      .updateTable('project_member')
      .set({ role, person_id: personId, from_groups: isReserved || member.from_groups })
      .where('project_id', '=', projectId)
      .where('id', '=', member.id)
      .execute()
    if (isLowerRole(role, member.role))
      await this.#revoke(tx, { creator: email, projectId, remainingRole: role }, { memberId: member.id, actor })
    const detail = { from: member.role, to: role, because: groupsReason }
    await recordAudit(tx, projectId, actor, { action: 'member.role_changed', subject: member.id, detail })
  }

  /** What a person created must not outlive the role with which they created it. */
  async #revoke(
    tx: DatabaseTransaction,
    creation: { creator: string; projectId: Id<'prj'>; remainingRole?: MemberRole },
    { memberId, actor }: { memberId: Id<'mbr'>; actor: Actor },
  ): Promise<void> {
    const decision = { keep: [], because: memberId, actor }
    await this.#offboarding.revoke(tx, creation, decision)
    await revokeInvitationsFor(tx, creation.projectId, creation.creator, decision)
  }
}

const groupsReason = 'the groups of the OpenID provider'

const highestRole = (roles: readonly MemberRole[]): MemberRole | undefined =>
  roles.reduce<MemberRole | undefined>((best, role) => (best && isLowerRole(role, best) ? best : role), undefined)

async function applyOperator(
  tx: DatabaseTransaction,
  grants: readonly GroupGrant[],
  personId: Id<'per'>,
  groups: readonly string[],
): Promise<void> {
  const operatorGroups = grants.flatMap(({ group, grants: to }) => (to === 'operator' ? [group] : []))
  const isOperator = operatorGroups.some((group) => groups.includes(group))
  const changed = await tx
    .updateTable('person')
    .set({ is_operator: isOperator, operator_from_groups: isOperator })
    .where('id', '=', personId)
    .where(isOperator ? sql<boolean>`NOT is_operator` : sql<boolean>`operator_from_groups`)
    .returning('email')
    .executeTakeFirst()
  if (!changed) return
  const action = isOperator ? 'operator.added' : 'operator.revoked'
  const actor: Actor = { kind: 'person', email: changed.email }
  await recordInstanceAudit(tx, actor, { action, subject: personId, detail: { because: groupsReason } })
}
