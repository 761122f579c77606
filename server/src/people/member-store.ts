import { sql } from 'kysely'
import { type Actor, recordAudit } from '../audit/audit-store.ts'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import type { CreatedAccess, Offboarding } from '../offboarding/offboarding.ts'
import { Problem } from '../platform/http/problem.ts'
import { type Id, isId, newId } from '../platform/ids.ts'
import { normalizeEmail } from './email.ts'
import { isLowerRole, type MemberRole } from './member-role.ts'
import { revokeInvitationsFor } from './revoke-invitations.ts'

export interface Member {
  id: Id<'mbr'>
  email: string
  role: MemberRole
  createdAt: Date
  /** Whether the person has accepted an invitation to this project. Until then the role gives no access. */
  hasJoined: boolean
  /** Whether an operator disabled the person's account. */
  isDisabled: boolean
}

export interface SecondFactorRule {
  required: boolean
  /** Members who have joined and have no second factor of their own. They may sign in with the OpenID provider. */
  membersWithout: number
}

/** People with a role in a project. The last owner of a project cannot be removed or lose the role. */
export class MemberStore {
  readonly #db: Database
  readonly #offboarding: Offboarding

  constructor(db: Database, offboarding: Offboarding) {
    this.#db = db
    this.#offboarding = offboarding
  }

  /** Newest first. `before` is the last ID of the previous page. */
  async list(
    projectId: Id<'prj'>,
    { limit, before }: { limit: number; before: string | undefined },
  ): Promise<Member[]> {
    let query = this.#db.selectFrom('project_member').select(columns).where('project_id', '=', projectId)
    if (before !== undefined) query = query.where('id', '<', before as Id<'mbr'>)
    return query.orderBy('id', 'desc').limit(limit).execute()
  }

  /** Of the owners who have joined the project and can sign in. */
  async listOwnerEmails(projectId: Id<'prj'>): Promise<string[]> {
    const rows = await this.#selectJoined(projectId).where('role', '=', 'owner').execute()
    return rows.map(({ email }) => email)
  }

  /** Whether this is the address of someone who has joined the project and can sign in. */
  async hasJoined(projectId: Id<'prj'>, email: string): Promise<boolean> {
    return (await this.#selectJoined(projectId).where('person.email', '=', email).executeTakeFirst()) !== undefined
  }

  #selectJoined(projectId: Id<'prj'>) {
    return this.#db
      .selectFrom('project_member')
      .innerJoin('person', 'person.id', 'project_member.person_id')
      .select('person.email')
      .where('project_member.project_id', '=', projectId)
      .where('person.disabled_at', 'is', null)
  }

  /** Adding an existing member returns that member unchanged, so that requests can be repeated. */
  async add(projectId: Id<'prj'>, { email, role }: { email: string; role: MemberRole }, actor: Actor): Promise<Member> {
    const normalizedEmail = normalizeEmail(email)
    return this.#db.transaction().execute(async (tx) => {
      const added = await tx
        .insertInto('project_member')
        .values({ project_id: projectId, id: newId('mbr'), email: normalizedEmail, role })
        .onConflict((conflict) => conflict.columns(['project_id', 'email']).doNothing())
        .returning(columns)
        .executeTakeFirst()
      if (added) {
        await recordAudit(tx, projectId, actor, {
          action: 'member.added',
          subject: added.id,
          detail: { email: normalizedEmail, role },
        })
        return added
      }
      return tx
        .selectFrom('project_member')
        .select(columns)
        .where('project_id', '=', projectId)
        .where('email', '=', normalizedEmail)
        .executeTakeFirstOrThrow()
    })
  }

  /** What is revoked by default when the member is removed or, with a role, when they get that lower role. */
  async listCreatedAccess(projectId: Id<'prj'>, memberId: string, role?: MemberRole): Promise<CreatedAccess[]> {
    const member = await getMember(this.#db, projectId, memberId)
    if (role !== undefined && !isLowerRole(role, member.role)) return []
    return this.#offboarding.list(this.#db, { creator: member.email, projectId, ...(role && { remainingRole: role }) })
  }

  /** A lower role revokes what exceeds it, except what the actor keeps and so takes over. */
  async changeRole(
    projectId: Id<'prj'>,
    memberId: string,
    role: MemberRole,
    actor: Actor,
    keep: readonly string[] = [],
  ): Promise<Member> {
    return this.#db.transaction().execute(async (tx) => {
      const member = await lockMember(tx, projectId, memberId)
      if (member.role === role) return member
      if (member.role === 'owner') await assertNotLastOwner(tx, projectId, member)
      if (isLowerRole(role, member.role)) {
        const decision = { keep, because: member.id, actor }
        await this.#offboarding.revoke(tx, { creator: member.email, projectId, remainingRole: role }, decision)
        await revokeInvitationsFor(tx, projectId, member.email, decision)
      }
      await tx
        .updateTable('project_member')
        .set({ role })
        .where('project_id', '=', projectId)
        .where('id', '=', member.id)
        .execute()
      await recordAudit(tx, projectId, actor, {
        action: 'member.role_changed',
        subject: member.id,
        detail: { from: member.role, to: role },
      })
      return { ...member, role }
    })
  }

  async readSecondFactorRule(projectId: Id<'prj'>): Promise<SecondFactorRule> {
    return readSecondFactorRule(this.#db, projectId)
  }

  async requireSecondFactor(projectId: Id<'prj'>, required: boolean, actor: Actor): Promise<SecondFactorRule> {
    return this.#db.transaction().execute(async (tx) => {
      const changed = await tx
        .updateTable('project')
        .set({ requires_second_factor: required })
        .where('id', '=', projectId)
        .where('requires_second_factor', '!=', required)
        .returning('id')
        .executeTakeFirst()
      const action = required ? 'second_factor.required' : 'second_factor.not_required'
      if (changed) await recordAudit(tx, projectId, actor, { action, subject: projectId, detail: {} })
      return readSecondFactorRule(tx, projectId)
    })
  }

  /** Revokes what the member created, except what the actor keeps and so takes over. */
  async remove(projectId: Id<'prj'>, memberId: string, actor: Actor, keep: readonly string[] = []): Promise<Member> {
    return this.#db.transaction().execute(async (tx) => {
      const member = await lockMember(tx, projectId, memberId)
      if (member.role === 'owner') await assertNotLastOwner(tx, projectId, member)
      const decision = { keep, because: member.id, actor }
      await this.#offboarding.revoke(tx, { creator: member.email, projectId }, decision)
      await revokeInvitationsFor(tx, projectId, member.email, decision)
      await tx.deleteFrom('project_member').where('project_id', '=', projectId).where('id', '=', member.id).execute()
      await recordAudit(tx, projectId, actor, {
        action: 'member.removed',
        subject: member.id,
        detail: { email: member.email },
      })
      return member
    })
  }
}

const columns = [
  'id',
  'email',
  'role',
  'created_at as createdAt',
  sql<boolean>`person_id IS NOT NULL`.as('hasJoined'),
  sql<boolean>`EXISTS (SELECT FROM person WHERE person.id = person_id AND disabled_at IS NOT NULL)`.as('isDisabled'),
] as const

/** Uses the project's row as the lock: if two owners remove each other at the same time, only one must succeed. */
async function lockMember(tx: DatabaseTransaction, projectId: Id<'prj'>, memberId: string): Promise<Member> {
  await tx.selectFrom('project').select('id').where('id', '=', projectId).forNoKeyUpdate().execute()
  return getMember(tx, projectId, memberId)
}

async function getMember(db: Database, projectId: Id<'prj'>, memberId: string): Promise<Member> {
  if (!isId('mbr', memberId)) throw noSuchMember()
  const member = await db
    .selectFrom('project_member')
    .select(columns)
    .where('project_id', '=', projectId)
    .where('id', '=', memberId)
    .executeTakeFirst()
  if (!member) throw noSuchMember()
  return member
}

/** An owner who never joined, or who is disabled, does not count as a replacement for one who did. */
async function assertNotLastOwner(tx: DatabaseTransaction, projectId: Id<'prj'>, leaving: Member): Promise<void> {
  let others = tx
    .selectFrom('project_member')
    .leftJoin('person', 'person.id', 'project_member.person_id')
    .select('project_member.id')
    .where('project_id', '=', projectId)
    .where('role', '=', 'owner')
    .where('project_member.id', '!=', leaving.id)
    .where('person.disabled_at', 'is', null)
  if (leaving.hasJoined) others = others.where('person.id', 'is not', null)
  if (!(await others.limit(1).executeTakeFirst()))
    throw new Problem('invalid_request', 'This is the last owner of the project. Make another member an owner first.')
}

const noSuchMember = () => new Problem('not_found', 'The project has no member with this ID.')

async function readSecondFactorRule(db: Database, projectId: Id<'prj'>): Promise<SecondFactorRule> {
  const { required } = await db
    .selectFrom('project')
    .select('requires_second_factor as required')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow()
  const { count } = await db
    .selectFrom('project_member')
    .innerJoin('person', 'person.id', 'project_member.person_id')
    .select(sql<string>`count(*)`.as('count'))
    .where('project_id', '=', projectId)
    .where('two_factor_enabled', '=', false)
    .executeTakeFirstOrThrow()
  return { required, membersWithout: Number(count) }
}
