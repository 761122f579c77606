/** People, and the links that let one in for the first time or again. */
import { type Kysely, sql, type Transaction } from 'kysely'
import { Problem } from '../platform/http/problem.ts'
import { type Id, newId } from '../platform/ids.ts'
import { readEmail } from './email.ts'
import { hashOfLinkToken, newLinkToken } from './link-token.ts'
import type { MemberRole } from './member-role.ts'
import { hashPassword } from './passwords.ts'
import type { PeopleTables } from './tables.ts'

export interface NewPerson {
  name: string
  email: string
  password: string
}

export interface Membership {
  id: Id<'prj'>
  name: string
  createdAt: Date
  pausedAt: Date | null
  role: MemberRole
}

const linkHours = 24
const maxMemberships = 500

export class PersonStore {
  readonly #db: Kysely<PeopleTables>

  constructor(db: Kysely<PeopleTables>) {
    this.#db = db
  }

  /** Whether anybody runs the installation. Somebody who was invited to a project may be there before. */
  async hasOperator(): Promise<boolean> {
    return hasOperator(this.#db)
  }

  async makeOperator(email: string): Promise<void> {
    const person = await this.#db
      .updateTable('person')
      .set({ is_operator: true })
      .where('email', '=', email.toLowerCase())
      .returning('id')
      .executeTakeFirst()
    if (!person) throw nobodyHas(email)
  }

  /** For the first owner's link. Older ones hold as well: several replicas may start at once, and each tells its own. */
  async newOwnerToken(): Promise<string> {
    return addWayIn(this.#db, null)
  }

  /** For somebody who lost the password. */
  async newPasswordToken(email: string): Promise<string> {
    const person = await this.#db
      .selectFrom('person')
      .select('id')
      .where('email', '=', email.toLowerCase())
      .executeTakeFirst()
    if (!person) throw nobodyHas(email)
    return addWayIn(this.#db, person.id)
  }

  /**
   * The first owner runs the installation, and owns the projects that have nobody: those made at the machine before there
   * was a dashboard. Of two who come at once, one is the first. The link is looked at before the password is hashed, which
   * costs more than anybody may ask for, and again when nobody else can use it.
   */
  async createFirstOwner(token: string, wanted: NewPerson): Promise<void> {
    const email = readEmail(wanted.email)
    await refuseDeadOwnerLink(this.#db, token)
    const password = await hashPassword(wanted.password)
    await this.#db.transaction().execute(async (tx) => {
      await sql`SELECT pg_advisory_xact_lock(hashtext('the first owner'))`.execute(tx)
      await refuseDeadOwnerLink(tx, token)
      const id = await insertPerson(tx, { name: wanted.name, email, password, isOperator: true })
      if (!id)
        throw new Problem(
          'invalid_request',
          `${email} has an account here: take another, or run colophon-server admin operator --email ${email}.`,
        )
      await ownWhatHasNobody(tx, { id, email })
      await tx.deleteFrom('one_time_link').where('person_id', 'is', null).execute()
    })
  }

  /** A new password for somebody who has a link for it; every session and every link of theirs ends. Returns their address. */
  async resetPassword(token: string, password: string): Promise<string> {
    const { id, email } = await personOfLink(this.#db, token)
    const hash = await hashPassword(password)
    return this.#db.transaction().execute(async (tx) => {
      await tx.selectFrom('person').select('id').where('id', '=', id).forNoKeyUpdate().execute()
      await personOfLink(tx, token)
      await forgetLinks(tx, id)
      await tx.deleteFrom('person_session').where('person_id', '=', id).execute()
      await putPassword(tx, id, hash)
      return email
    })
  }

  /** Of somebody who accepted an invitation of this very project: the address alone says nothing. */
  async roleIn(projectId: string, personId: Id<'per'>): Promise<MemberRole | undefined> {
    const member = await this.#db
      .selectFrom('project_member')
      .select('role')
      .where('project_id', '=', projectId as Id<'prj'>)
      .where('person_id', '=', personId)
      .executeTakeFirst()
    return member?.role
  }

  async listProjects(personId: Id<'per'>): Promise<Membership[]> {
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
      .orderBy('project.name')
      .limit(maxMemberships)
      .execute()
  }
}

async function ownWhatHasNobody(
  tx: Transaction<PeopleTables>,
  { id: personId, email }: { id: Id<'per'>; email: string },
): Promise<void> {
  const projects = await tx
    .selectFrom('project')
    .select('id')
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

/** With the password as a hash. Undefined: somebody has the address, perhaps since a moment ago. */
export async function insertPerson(
  tx: Transaction<PeopleTables>,
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
  await putPassword(tx, id, person.password)
  return id
}

async function hasOperator(db: Kysely<PeopleTables>): Promise<boolean> {
  const operator = await db
    .selectFrom('person')
    .select('id')
    .where('is_operator', '=', true)
    .limit(1)
    .executeTakeFirst()
  return operator !== undefined
}

async function refuseDeadOwnerLink(db: Kysely<PeopleTables>, token: string): Promise<void> {
  const known = await db
    .selectFrom('one_time_link')
    .select('token_hash')
    .where('token_hash', '=', hashOfLinkToken(token))
    .where('person_id', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  if (!known || (await hasOperator(db))) throw deadLink()
}

async function personOfLink(db: Kysely<PeopleTables>, token: string): Promise<{ id: Id<'per'>; email: string }> {
  const person = await db
    .selectFrom('one_time_link')
    .innerJoin('person', 'person.id', 'one_time_link.person_id')
    .select(['person.id', 'person.email'])
    .where('token_hash', '=', hashOfLinkToken(token))
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  if (!person) throw deadLink()
  return person
}

/** With a new password, older links to set one are as dead as older sessions. */
export async function forgetLinks(db: Kysely<PeopleTables>, personId: Id<'per'>): Promise<void> {
  await db.deleteFrom('one_time_link').where('person_id', '=', personId).execute()
}

async function putPassword(tx: Transaction<PeopleTables>, personId: Id<'per'>, hash: string): Promise<void> {
  await tx
    .insertInto('person_account')
    .values({ id: newId('ses'), person_id: personId, provider_id: 'credential', account_id: personId, password: hash })
    .onConflict((conflict) => conflict.columns(['provider_id', 'account_id']).doUpdateSet({ password: hash }))
    .execute()
}

async function addWayIn(db: Kysely<PeopleTables>, personId: Id<'per'> | null): Promise<string> {
  const token = newLinkToken()
  const expires_at = sql<Date>`now() + make_interval(hours => ${linkHours})`
  await db
    .insertInto('one_time_link')
    .values({ token_hash: hashOfLinkToken(token), person_id: personId, expires_at })
    .execute()
  return token
}

const nobodyHas = (email: string) => new Problem('not_found', `Nobody here has the address ${email}.`)

const deadLink = () =>
  new Problem('not_found', 'This link was used, or is too old. Whoever runs the service can make a new one.')
