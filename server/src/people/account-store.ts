/** The accounts of the instance, for operators and administrators. */
import { sql } from 'kysely'
import { type Actor, formatActor, recordAudit, recordInstanceAudit } from '../audit/audit-store.ts'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import type { CreatedAccess, Offboarding } from '../offboarding/offboarding.ts'
import { Problem } from '../platform/http/problem.ts'
import { type Id, isId, newId } from '../platform/ids.ts'
import { revokeInvitationsFor } from './revoke-invitations.ts'

export interface Account {
  id: Id<'per'>
  name: string
  email: string
  isOperator: boolean
  createdAt: Date
  /** Null: the person can sign in. */
  disabledAt: Date | null
  /** The start of the newest session that has not expired or ended. */
  lastSignInAt: Date | null
  projectCount: number
  /** Projects without another owner who can sign in. */
  soleOwnerOf: readonly { id: Id<'prj'>; name: string }[]
}

type AccountRow = Pick<Account, 'id' | 'email' | 'isOperator' | 'disabledAt'>

export class AccountStore {
  readonly #db: Database
  readonly #offboarding: Offboarding

  constructor(db: Database, offboarding: Offboarding) {
    this.#db = db
    this.#offboarding = offboarding
  }

  /** Newest first; `before` is the last id of the previous page. */
  async list({ limit, before }: { limit: number; before: string | undefined }): Promise<Account[]> {
    let query = selectAccounts(this.#db)
    if (before !== undefined) query = query.where('id', '<', before as Id<'per'>)
    return query.orderBy('id', 'desc').limit(limit).execute()
  }

  async get(personId: string): Promise<Account> {
    return getAccount(this.#db, personId)
  }

  async findIdByEmail(email: string): Promise<Id<'per'>> {
    const person = await this.#db
      .selectFrom('person')
      .select('id')
      .where('email', '=', email.toLowerCase())
      .executeTakeFirst()
    if (!person) throw new Problem('not_found', `There is no account with the email address ${email}.`)
    return person.id
  }

  /** What is revoked by default when the person is disabled or deleted, in all projects. */
  async listCreatedAccess(personId: string): Promise<CreatedAccess[]> {
    const { email } = await getAccount(this.#db, personId)
    return this.#offboarding.list(this.#db, { creator: email })
  }

  /**
   * Ends all sessions and links of the person, keeps them from signing in, and revokes what they created, except what the actor
   * keeps and so takes over. They stay a member of their projects.
   */
  async disable(personId: string, actor: Actor, keep: readonly string[] = []): Promise<Account> {
    return this.#db.transaction().execute(async (tx) => {
      const person = await lockPerson(tx, personId)
      if (person.disabledAt) return getAccount(tx, person.id)
      assertNotSelf(person, actor)
      if (person.isOperator) await assertNotLastOperator(tx, person.id)
      await this.#takeAccess(tx, person, actor, keep)
      await tx.updateTable('person').set({ disabled_at: sql<Date>`now()` }).where('id', '=', person.id).execute()
      for (const { id, projectId } of await listMemberships(tx, person))
        await recordAudit(tx, projectId, actor, {
          action: 'member.disabled',
          subject: id,
          detail: { email: person.email },
        })
      await recordInstanceAudit(tx, actor, {
        action: 'person.disabled',
        subject: person.id,
        detail: { email: person.email },
      })
      return getAccount(tx, person.id)
    })
  }

  /** Restores the roles of the person. What was revoked stays revoked. */
  async enable(personId: string, actor: Actor): Promise<Account> {
    return this.#db.transaction().execute(async (tx) => {
      const person = await lockPerson(tx, personId)
      if (person.disabledAt) {
        await tx.updateTable('person').set({ disabled_at: null }).where('id', '=', person.id).execute()
        for (const { id, projectId } of await listMemberships(tx, person))
          await recordAudit(tx, projectId, actor, {
            action: 'member.enabled',
            subject: id,
            detail: { email: person.email },
          })
        await recordInstanceAudit(tx, actor, {
          action: 'person.enabled',
          subject: person.id,
          detail: { email: person.email },
        })
      }
      return getAccount(tx, person.id)
    })
  }

  /**
   * Deletes the account and revokes what the person created. Where others refer to the person, as audit entries do, the ID remains
   * and the email address is replaced by it. A project whose only owner they are gets the new owner.
   */
  async delete(personId: string, actor: Actor, newOwnerId?: string): Promise<Account> {
    return this.#db.transaction().execute(async (tx) => {
      const person = await lockPerson(tx, personId)
      const account = await getAccount(tx, person.id)
      assertNotSelf(person, actor)
      if (person.isOperator) await assertNotLastOperator(tx, person.id)
      await this.#takeAccess(tx, person, actor, [])
      await handOverProjects(tx, account, newOwnerId, actor)
      for (const { id, projectId } of await listMemberships(tx, person)) {
        const detail = { email: person.email }
        await recordAudit(tx, projectId, actor, { action: 'member.removed', subject: id, detail })
      }
      await tx
        .deleteFrom('project_member')
        .where((where) => where.or([where('person_id', '=', person.id), where('email', '=', person.email)]))
        .execute()
      await recordInstanceAudit(tx, actor, { action: 'person.deleted', subject: person.id, detail: {} })
      await deletePerson(tx, person)
      return account
    })
  }

  /** Returns how many sessions ended. */
  async endSessions(personId: string, actor: Actor): Promise<number> {
    return this.#db.transaction().execute(async (tx) => {
      const { id, email } = await lockPerson(tx, personId)
      const { numDeletedRows } = await tx.deleteFrom('person_session').where('person_id', '=', id).executeTakeFirst()
      const sessions = Number(numDeletedRows)
      await recordInstanceAudit(tx, actor, {
        action: 'person.sessions_ended',
        subject: id,
        detail: { email, sessions },
      })
      return sessions
    })
  }

  /** The last operator who can sign in keeps the right. */
  async setOperator(personId: string, isOperator: boolean, actor: Actor): Promise<Account> {
    return this.#db.transaction().execute(async (tx) => {
      const person = await lockPerson(tx, personId)
      if (person.isOperator !== isOperator) {
        if (isOperator && person.disabledAt)
          throw new Problem('invalid_request', `${person.email} is disabled. Enable the person first.`)
        if (!isOperator) await assertNotLastOperator(tx, person.id)
        await tx.updateTable('person').set({ is_operator: isOperator }).where('id', '=', person.id).execute()
        const action = isOperator ? 'operator.added' : 'operator.revoked'
        await recordInstanceAudit(tx, actor, { action, subject: person.id, detail: { email: person.email } })
      }
      return getAccount(tx, person.id)
    })
  }

  /** Locks all projects in which the person has a role or created something, so that they cannot create more at the same time. */
  async #takeAccess(
    tx: DatabaseTransaction,
    { id, email }: AccountRow,
    actor: Actor,
    keep: readonly string[],
  ): Promise<void> {
    const created = await this.#offboarding.list(tx, { creator: email })
    const memberships = await listMemberships(tx, { id, email })
    const invited = await tx.selectFrom('invitation').select('project_id').where('email', '=', email).execute()
    const projectIds = new Set([
      ...[...created, ...memberships].map(({ projectId }) => projectId),
      ...invited.map(({ project_id }) => project_id),
    ])
    if (projectIds.size > 0)
      await tx
        .selectFrom('project')
        .select('id')
        .where('id', 'in', [...projectIds])
        .orderBy('id')
        .forNoKeyUpdate()
        .execute()
    await this.#offboarding.revoke(tx, { creator: email }, { keep, because: id, actor })
    for (const projectId of projectIds) await revokeInvitationsFor(tx, projectId, email, { because: id, actor })
    await tx.deleteFrom('person_session').where('person_id', '=', id).execute()
    await tx.deleteFrom('one_time_link').where('person_id', '=', id).execute()
    await tx.deleteFrom('github_authorization').where('person_id', '=', id).execute()
  }
}

const isAnotherOwner = sql`another.project_id = member.project_id AND another.role = 'owner' AND another.id <> member.id`

const selectAccounts = (db: Database) =>
  db
    .selectFrom('person')
    .select(['id', 'name', 'email', 'is_operator as isOperator'])
    .select(['created_at as createdAt', 'disabled_at as disabledAt'])
    .select([
      sql<Date | null>`(SELECT max(created_at) FROM person_session WHERE person_id = person.id AND expires_at > now())`.as(
        'lastSignInAt',
      ),
      sql<number>`(SELECT count(*)::int FROM project_member WHERE person_id = person.id)`.as('projectCount'),
      sql<{ id: Id<'prj'>; name: string }[]>`(
        SELECT coalesce(json_agg(json_build_object('id', project.id, 'name', project.name) ORDER BY project.name), '[]')
        FROM project_member AS member JOIN project ON project.id = member.project_id
        WHERE member.person_id = person.id AND member.role = 'owner' AND project.deleted_at IS NULL AND NOT EXISTS (
          SELECT FROM project_member AS another JOIN person AS other ON other.id = another.person_id
          WHERE ${isAnotherOwner} AND other.disabled_at IS NULL))`.as('soleOwnerOf'),
    ])

async function getAccount(db: Database, personId: string): Promise<Account> {
  const account = await selectAccounts(db)
    .where('id', '=', personId as Id<'per'>)
    .executeTakeFirst()
  if (!account) throw noSuchPerson()
  return account
}

async function lockPerson(tx: DatabaseTransaction, personId: string): Promise<AccountRow> {
  if (!isId('per', personId)) throw noSuchPerson()
  const person = await tx
    .selectFrom('person')
    .select(['id', 'email', 'is_operator as isOperator', 'disabled_at as disabledAt'])
    .where('id', '=', personId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!person) throw noSuchPerson()
  return person
}

async function listMemberships(
  db: Database,
  { id, email }: Pick<AccountRow, 'id' | 'email'>,
): Promise<{ id: Id<'mbr'>; projectId: Id<'prj'> }[]> {
  return db
    .selectFrom('project_member')
    .select(['id', 'project_id as projectId'])
    .where((where) => where.or([where('person_id', '=', id), where('email', '=', email)]))
    .execute()
}

function assertNotSelf({ email }: AccountRow, actor: Actor): void {
  if (formatActor(actor) === email)
    throw new Problem('invalid_request', 'You cannot do this to your own account. Ask another operator.')
}

/** If two operators take each other's right at the same time, only one must succeed. */
async function assertNotLastOperator(tx: DatabaseTransaction, personId: Id<'per'>): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtext('operators'))`.execute(tx)
  const another = await tx
    .selectFrom('person')
    .select('id')
    .where('is_operator', '=', true)
    .where('disabled_at', 'is', null)
    .where('id', '!=', personId)
    .limit(1)
    .executeTakeFirst()
  if (!another)
    throw new Problem('invalid_request', 'This is the last operator of the instance. Make another person one first.')
}

async function handOverProjects(
  tx: DatabaseTransaction,
  { id: leavingId, soleOwnerOf }: Account,
  newOwnerId: string | undefined,
  actor: Actor,
): Promise<void> {
  if (soleOwnerOf.length === 0) return
  if (newOwnerId === undefined)
    throw new Problem(
      'invalid_request',
      `The person is the last owner of ${soleOwnerOf.map(({ name }) => name).join(', ')}. Name a new owner, or make another member an owner first.`,
    )
  const newOwner = await lockPerson(tx, newOwnerId)
  if (newOwner.id === leavingId || newOwner.disabledAt)
    throw new Problem('invalid_request', 'The new owner must be another person, who is not disabled.')
  for (const { id: projectId } of soleOwnerOf) {
    const { id } = await tx
      .insertInto('project_member')
      .values({
        project_id: projectId,
        id: newId('mbr'),
        email: newOwner.email,
        role: 'owner',
        person_id: newOwner.id,
      })
      .onConflict((conflict) =>
        conflict.columns(['project_id', 'email']).doUpdateSet({ role: 'owner', person_id: newOwner.id }),
      )
      .returning('id')
      .executeTakeFirstOrThrow()
    const detail = { email: newOwner.email, role: 'owner' }
    await recordAudit(tx, projectId, actor, { action: 'member.added', subject: id, detail })
  }
}

/**
 * Also replaces the email address by the ID wherever it stays. The roles of `api` and `worker` cannot change the audit log, so a function
 * of the database does that.
 */
async function deletePerson(tx: DatabaseTransaction, { id, email }: AccountRow): Promise<void> {
  await tx.updateTable('api_key').set({ created_by: id }).where('created_by', '=', email).execute()
  await tx.updateTable('api_key').set({ taken_over_by: id }).where('taken_over_by', '=', email).execute()
  await tx.updateTable('federated_identity').set({ created_by: id }).where('created_by', '=', email).execute()
  await tx.updateTable('federated_identity').set({ taken_over_by: id }).where('taken_over_by', '=', email).execute()
  await tx.updateTable('log_drain').set({ created_by: id }).where('created_by', '=', email).execute()
  await tx.updateTable('runner').set({ created_by: id }).where('created_by', '=', email).execute()
  await tx.updateTable('runner').set({ taken_over_by: id }).where('taken_over_by', '=', email).execute()
  await tx
    .updateTable('runner')
    .set({ previous_token_responsible: id })
    .where('previous_token_responsible', '=', email)
    .execute()
  await tx.updateTable('project_deletion').set({ requested_by: id }).where('requested_by', '=', email).execute()
  await tx.updateTable('webhook_endpoint').set({ responsible: id }).where('responsible', '=', email).execute()
  await tx.deleteFrom('webhook_endpoint').where('kind', '=', 'email').where('target', '=', email).execute()
  await tx.deleteFrom('invitation_email').where('email', '=', email).execute()
  await tx.deleteFrom('budget_notice_email').where('email', '=', email).execute()
  await sql`SELECT delete_person(${id})`.execute(tx)
}

const noSuchPerson = () => new Problem('not_found', 'This instance has no person with this ID.')
