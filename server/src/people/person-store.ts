/** People, and the one-time links that create the first owner or reset a password. */
import { sql } from 'kysely'
import { recordInstanceAudit } from '../audit/audit-store.ts'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import { Problem } from '../platform/http/problem.ts'
import { type Id, newId } from '../platform/ids.ts'
import { normalizeEmail } from './email.ts'
import { generateLinkToken, hashLinkToken } from './link-token.ts'
import type { MemberRole } from './member-role.ts'
import { assertHardToGuess } from './password-rules.ts'
import { hashPassword } from './passwords.ts'
import { listSecondFactors, removeSecondFactors } from './second-factors.ts'
import type { SecondFactor } from './session.ts'

export interface NewPerson {
  name: string
  email: string
  password: string
}

export interface ProjectMembership {
  id: Id<'prj'>
  name: string
  createdAt: Date
  pausedAt: Date | null
  role: MemberRole
}

const linkHours = 24
const maxMemberships = 500

export class PersonStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Whether the instance has an operator. People who were invited to a project may exist before it has one. */
  async hasOperator(): Promise<boolean> {
    return hasOperator(this.#db)
  }

  async listOperators(): Promise<{ id: Id<'per'>; name: string; email: string }[]> {
    return this.#db
      .selectFrom('person')
      .select(['id', 'name', 'email'])
      .where('is_operator', '=', true)
      .orderBy('email')
      .execute()
  }

  async isDisabled(personId: Id<'per'>): Promise<boolean> {
    const person = await this.#db
      .selectFrom('person')
      .select('disabled_at')
      .where('id', '=', personId)
      .executeTakeFirst()
    return person?.disabled_at != null
  }

  /**
   * Creates a token for the link of the first owner. Older tokens stay valid: several replicas may start at the same time, and
   * each logs its own link.
   */
  async createFirstOwnerToken(): Promise<string> {
    return createOneTimeLink(this.#db, null)
  }

  /** For a person who lost their authenticator app or passkeys and their recovery codes. Ends their sessions. */
  async removeSecondFactor(email: string): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      const person = await tx
        .selectFrom('person')
        .select('id')
        .where('email', '=', email.toLowerCase())
        .forNoKeyUpdate()
        .executeTakeFirst()
      if (!person) throw noSuchPerson(email)
      await removeSecondFactors(tx, person.id)
      await tx.deleteFrom('person_session').where('person_id', '=', person.id).execute()
      const entry = { action: 'second_factor.removed', subject: person.id, detail: {} } as const
      await recordInstanceAudit(tx, { kind: 'operator' }, entry)
    })
  }

  async listSecondFactors(personId: Id<'per'>): Promise<SecondFactor[]> {
    return listSecondFactors(this.#db, personId)
  }

  /** Creates a token with which a person who forgot their password can set a new one. */
  async createPasswordResetToken(email: string): Promise<string> {
    const person = await this.#db
      .selectFrom('person')
      .select(['id', 'disabled_at'])
      .where('email', '=', email.toLowerCase())
      .executeTakeFirst()
    if (!person) throw noSuchPerson(email)
    if (person.disabled_at)
      throw new Problem('invalid_request', `${email} is disabled. Enable the person before they set a password.`)
    return this.#db.transaction().execute(async (tx) => {
      const entry = { action: 'password_link.created', subject: person.id, detail: {} } as const
      await recordInstanceAudit(tx, { kind: 'operator' }, entry)
      return createOneTimeLink(tx, person.id)
    })
  }

  /**
   * The first owner becomes an operator, and the owner of all projects without members: those that were created with
   * `colophon-server admin`. Of two requests at the same time, one succeeds. The link is checked before the password is
   * hashed, because hashing is too expensive to do for anyone who asks, and again under the lock.
   */
  async createFirstOwner(token: string, person: NewPerson): Promise<void> {
    const email = normalizeEmail(person.email)
    await assertValidOwnerLink(this.#db, token)
    assertHardToGuess(person.password, person)
    const password = await hashPassword(person.password)
    await this.#db.transaction().execute(async (tx) => {
      await sql`SELECT pg_advisory_xact_lock(hashtext('the first owner'))`.execute(tx)
      await assertValidOwnerLink(tx, token)
      const id = await insertPerson(tx, { name: person.name, email, password, isOperator: true })
      if (!id)
        throw new Problem(
          'invalid_request',
          `${email} already has an account. Use another address, or run colophon-server admin operator add --email ${email}.`,
        )
      await takeOwnershipOfOrphanedProjects(tx, { id, email })
      await tx.deleteFrom('one_time_link').where('person_id', 'is', null).execute()
    })
  }

  /** Sets a new password with a one-time link, and ends all sessions and links of the person. Returns the person. */
  async resetPassword(
    token: string,
    password: string,
    { operatorsOnly = false } = {},
  ): Promise<{ id: Id<'per'>; email: string }> {
    const { id, email, name, isOperator } = await findPersonByLink(this.#db, token)
    if (operatorsOnly && !isOperator)
      throw new Problem(
        'invalid_request',
        'This instance does not use passwords, except for operators in an emergency.',
      )
    assertHardToGuess(password, { name, email })
    const hash = await hashPassword(password)
    return this.#db.transaction().execute(async (tx) => {
      await tx.selectFrom('person').select('id').where('id', '=', id).forNoKeyUpdate().execute()
      await findPersonByLink(tx, token)
      await deleteOneTimeLinks(tx, id)
      await tx.deleteFrom('person_session').where('person_id', '=', id).execute()
      await setPassword(tx, id, hash)
      return { id, email }
    })
  }

  /** The role of a person who accepted an invitation to this project, and what the project requires of them. The email address alone gives no role. */
  async findMembership(
    projectId: string,
    personId: Id<'per'>,
  ): Promise<{ role: MemberRole; requiresSecondFactor: boolean } | undefined> {
    return this.#db
      .selectFrom('project_member')
      .innerJoin('project', 'project.id', 'project_member.project_id')
      .select(['role', 'project.requires_second_factor as requiresSecondFactor'])
      .where('project_id', '=', projectId as Id<'prj'>)
      .where('person_id', '=', personId)
      .where('project.deleted_at', 'is', null)
      .executeTakeFirst()
  }

  async listProjects(personId: Id<'per'>): Promise<ProjectMembership[]> {
    return this.#db
      .selectFrom('project_member')
      .innerJoin('project', 'project.id', 'project_member.project_id')
      .select([
        'project.id',
        'project.name',
        'project.created_at as createdAt',
        'project.paused_at as pausedAt',
        'role',
      ])
      .where('person_id', '=', personId)
      .where('project.deleted_at', 'is', null)
      .orderBy('project.name')
      .limit(maxMemberships)
      .execute()
  }
}

async function takeOwnershipOfOrphanedProjects(
  tx: DatabaseTransaction,
  { id: personId, email }: { id: Id<'per'>; email: string },
): Promise<void> {
  const projects = await tx
    .selectFrom('project')
    .select('id')
    .where('deleted_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('project_member').select('email').whereRef('project_id', '=', 'project.id'))),
    )
    .execute()
  for (const { id } of projects)
    await tx
      .insertInto('project_member')
      .values({ project_id: id, id: newId('mbr'), email, role: 'owner', person_id: personId })
      .execute()
}

/** Expects the password as a hash. Returns undefined if the email address is taken. */
export async function insertPerson(
  tx: DatabaseTransaction,
  person: NewPerson & { isOperator: boolean },
): Promise<Id<'per'> | undefined> {
  const id = newId('per')
  const inserted = await tx
    .insertInto('person')
    .values({ id, name: person.name, email: person.email, is_operator: person.isOperator })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!inserted) return undefined
  await setPassword(tx, id, person.password)
  return id
}

/**
 * Takes over an account whose address nobody has proved, for a person who has: whatever someone else set up to sign in stops
 * working. Expects the password as a hash. Returns undefined if the address was proved in the meantime.
 */
export async function claimPerson(
  tx: DatabaseTransaction,
  { name, email, password }: NewPerson,
): Promise<Id<'per'> | undefined> {
  const claimed = await tx
    .updateTable('person')
    .set({ name })
    .where('email', '=', email)
    .where('email_proven_at', 'is', null)
    .where('is_operator', '=', false)
    .where('disabled_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (!claimed) return undefined
  const { id } = claimed
  for (const table of ['person_session', 'person_account', 'one_time_link'] as const)
    await tx.deleteFrom(table).where('person_id', '=', id).execute()
  await removeSecondFactors(tx, id)
  await setPassword(tx, id, password)
  return id
}

export async function markEmailProven(tx: DatabaseTransaction, id: Id<'per'>): Promise<void> {
  await tx
    .updateTable('person')
    .set({ email_proven_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('email_proven_at', 'is', null)
    .execute()
}

async function hasOperator(db: Database): Promise<boolean> {
  const operator = await db
    .selectFrom('person')
    .select('id')
    .where('is_operator', '=', true)
    .limit(1)
    .executeTakeFirst()
  return operator !== undefined
}

async function assertValidOwnerLink(db: Database, token: string): Promise<void> {
  const link = await db
    .selectFrom('one_time_link')
    .select('token_hash')
    .where('token_hash', '=', hashLinkToken(token))
    .where('person_id', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  if (!link || (await hasOperator(db))) throw invalidLink()
}

async function findPersonByLink(
  db: Database,
  token: string,
): Promise<{ id: Id<'per'>; email: string; name: string; isOperator: boolean }> {
  const person = await db
    .selectFrom('one_time_link')
    .innerJoin('person', 'person.id', 'one_time_link.person_id')
    .select(['person.id', 'person.email', 'person.name', 'person.is_operator as isOperator'])
    .where('token_hash', '=', hashLinkToken(token))
    .where('expires_at', '>', sql<Date>`now()`)
    .where('person.disabled_at', 'is', null)
    .executeTakeFirst()
  if (!person) throw invalidLink()
  return person
}

/** A new password invalidates older links for setting one, like older sessions. */
export async function deleteOneTimeLinks(db: Database, personId: Id<'per'>): Promise<void> {
  await db.deleteFrom('one_time_link').where('person_id', '=', personId).execute()
}

async function setPassword(tx: DatabaseTransaction, personId: Id<'per'>, hash: string): Promise<void> {
  await tx
    .insertInto('person_account')
    .values({ id: newId('ses'), person_id: personId, provider_id: 'credential', account_id: personId, password: hash })
    .onConflict((conflict) => conflict.columns(['provider_id', 'account_id']).doUpdateSet({ password: hash }))
    .execute()
}

async function createOneTimeLink(db: Database, personId: Id<'per'> | null): Promise<string> {
  const token = generateLinkToken()
  const expires_at = sql<Date>`now() + make_interval(hours => ${linkHours})`
  await db
    .insertInto('one_time_link')
    .values({ token_hash: hashLinkToken(token), person_id: personId, expires_at })
    .execute()
  return token
}

const noSuchPerson = (email: string) => new Problem('not_found', `There is no account with the email address ${email}.`)

const invalidLink = () =>
  new Problem(
    'not_found',
    'This link was used or has expired. Ask an operator of this Colophon instance for a new one.',
  )
