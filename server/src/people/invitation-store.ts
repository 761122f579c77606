/** Invitations: the only way in for everybody but the first. */
import { type Kysely, type SelectQueryBuilder, sql, type Transaction } from 'kysely'
import type { Actor, RecordAudit } from '../audit/audit-store.ts'
import { Problem } from '../platform/http/problem.ts'
import { type Id, isId, newId } from '../platform/ids.ts'
import { readEmail } from './email.ts'
import { takeMail } from './invitation-mails.ts'
import { hashOfLinkToken, newLinkToken } from './link-token.ts'
import { isLower, type MemberRole } from './member-role.ts'
import { hashPassword } from './passwords.ts'
import { insertPerson } from './person-store.ts'
import type { Person } from './session.ts'
import type { PeopleTables } from './tables.ts'

export interface Invitation {
  id: Id<'inv'>
  email: string
  role: MemberRole
  createdAt: Date
  expiresAt: Date
}

export interface SeenInvitation {
  projectId: Id<'prj'>
  projectName: string
  email: string
  role: MemberRole
  /** Whether somebody with this address can sign in already. */
  isKnown: boolean
}

const linkDays = 7
const maxPending = 500
const columns = ['id', 'email', 'role', 'created_at as createdAt', 'expires_at as expiresAt'] as const

export class InvitationStore {
  readonly #db: Kysely<PeopleTables>
  readonly #recordAudit: RecordAudit
  readonly #nameOfActor: (actor: Actor) => string

  constructor(db: Kysely<PeopleTables>, recordAudit: RecordAudit, nameOfActor: (actor: Actor) => string) {
    this.#db = db
    this.#recordAudit = recordAudit
    this.#nameOfActor = nameOfActor
  }

  /** A second one for the same address takes the place of the first, whose link is dead then. */
  async create(
    projectId: Id<'prj'>,
    wanted: { email: string; role: MemberRole },
    actor: Actor,
  ): Promise<{ invitation: Invitation; token: string; mayMail: boolean }> {
    const token = newLinkToken()
    const email = readEmail(wanted.email)
    return this.#db.transaction().execute(async (tx) => {
      await tx.selectFrom('project').select('id').where('id', '=', projectId).forNoKeyUpdate().execute()
      await refuseWhoIsGone(tx, projectId, actor)
      await tx
        .deleteFrom('invitation')
        .where('project_id', '=', projectId)
        .where((where) => where.or([where('email', '=', email), where('expires_at', '<=', sql<Date>`now()`)]))
        .execute()
      const { count } = await tx
        .selectFrom('invitation')
        .select(sql<string>`count(*)`.as('count'))
        .where('project_id', '=', projectId)
        .executeTakeFirstOrThrow()
      if (Number(count) >= maxPending)
        throw new Problem('invalid_request', 'Too many invitations are open: revoke some first.')
      const invitation = await tx
        .insertInto('invitation')
        .values({
          project_id: projectId,
          id: newId('inv'),
          email,
          role: wanted.role,
          token_hash: hashOfLinkToken(token),
          invited_by: this.#nameOfActor(actor),
          expires_at: sql<Date>`now() + make_interval(days => ${linkDays})`,
        })
        .returning(columns)
        .executeTakeFirstOrThrow()
      await this.#recordAudit(tx, projectId, actor, {
        action: 'member.invited',
        subject: invitation.id,
        detail: { email, role: wanted.role },
      })
      return { invitation, token, mayMail: await takeMail(tx, projectId, email) }
    })
  }

  /** Those that still let somebody in, newest first. */
  async list(projectId: Id<'prj'>): Promise<Invitation[]> {
    return this.#db
      .selectFrom('invitation')
      .select(columns)
      .where('project_id', '=', projectId)
      .where('expires_at', '>', sql<Date>`now()`)
      .orderBy('id', 'desc')
      .execute()
  }

  async revoke(projectId: Id<'prj'>, invitationId: string, actor: Actor): Promise<Invitation> {
    if (!isId('inv', invitationId)) throw noSuchInvitation()
    return this.#db.transaction().execute(async (tx) => {
      const revoked = await tx
        .deleteFrom('invitation')
        .where('project_id', '=', projectId)
        .where('id', '=', invitationId)
        .returning(columns)
        .executeTakeFirst()
      if (!revoked) throw noSuchInvitation()
      const detail = { email: revoked.email }
      await this.#recordAudit(tx, projectId, actor, { action: 'invitation.revoked', subject: invitationId, detail })
      return revoked
    })
  }

  async look(token: string): Promise<SeenInvitation> {
    const seen = await findByToken(this.#db, token)
    if (!seen) throw deadLink()
    return seen
  }

  /** Whoever has the link gets the account of the address that it was made for, and no other. */
  async acceptAsNew(
    token: string,
    wanted: { name: string; password: string },
    requestId: string,
  ): Promise<{ email: string }> {
    const { email, isKnown } = await this.look(token) // before the hashing, which costs more than anybody may ask for
    if (isKnown) throw hasAccount(email)
    const password = await hashPassword(wanted.password)
    return this.#db.transaction().execute(async (tx) => {
      if (!(await lockByToken(tx, token))) throw deadLink()
      const id = await insertPerson(tx, { name: wanted.name, email, password, isOperator: false })
      if (!id) throw hasAccount(email)
      await this.#join(tx, { id, email }, hashOfLinkToken(token), requestId)
      return { email }
    })
  }

  async acceptAs(person: Pick<Person, 'id' | 'email'>, token: string, requestId: string): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      const seen = await lockByToken(tx, token)
      if (!seen) throw deadLink()
      if (seen.email !== person.email)
        throw new Problem(
          'invalid_request',
          `This invitation is for ${seen.email}, and you are signed in as ${person.email}.`,
        )
      await this.#join(tx, person, hashOfLinkToken(token), requestId)
    })
  }

  async isInvited(email: string): Promise<boolean> {
    const found = await this.#db
      .selectFrom('invitation')
      .select('id')
      .where('email', '=', email.toLowerCase())
      .where('expires_at', '>', sql<Date>`now()`)
      .executeTakeFirst()
    return found !== undefined
  }

  /** For somebody whose address a provider vouched for: all that they were invited to. */
  async acceptAll({ id, email }: Pick<Person, 'id' | 'email'>): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      await lockProjects(tx, (invitations) => invitations.where('email', '=', email.toLowerCase()))
      await this.#join(tx, { id, email: email.toLowerCase() }, undefined, null)
    })
  }

  /** Nobody gets less by accepting. One who was added and never came in has only what this invitation gives. */
  async #join(
    tx: Transaction<PeopleTables>,
    { id: personId, email }: Pick<Person, 'id' | 'email'>,
    tokenHash: Buffer | undefined,
    requestId: string | null,
  ): Promise<void> {
    let query = tx.deleteFrom('invitation').where('email', '=', email).where('expires_at', '>', sql<Date>`now()`)
    if (tokenHash) query = query.where('token_hash', '=', tokenHash)
    for (const invited of await query.returning(['project_id', 'role']).execute()) {
      const projectId = invited.project_id
      const before = await tx
        .selectFrom('project_member')
        .select('role')
        .where('project_id', '=', projectId)
        .where('person_id', '=', personId)
        .executeTakeFirst()
      const role = before && isLower(invited.role, before.role) ? before.role : invited.role
      const { id } = await tx
        .insertInto('project_member')
        .values({ project_id: projectId, id: newId('mbr'), email, role, person_id: personId })
        .onConflict((on) => on.columns(['project_id', 'email']).doUpdateSet({ role, person_id: personId }))
        .returning('id')
        .executeTakeFirstOrThrow()
      const actor: Actor = { kind: 'person', email, requestId }
      await this.#recordAudit(tx, projectId, actor, { action: 'member.added', subject: id, detail: { email, role } })
    }
  }
}

/** Two who use one link at once take turns, and the second finds it used. */
async function lockByToken(tx: Transaction<PeopleTables>, token: string): Promise<SeenInvitation | undefined> {
  await lockProjects(tx, (invitations) => invitations.where('token_hash', '=', hashOfLinkToken(token)))
  return findByToken(tx, token)
}

type Invitations = SelectQueryBuilder<PeopleTables, 'invitation', { project_id: Id<'prj'> }>

/** The project's row is the lock, as it is for removing a member: who is being removed must not come back meanwhile. */
async function lockProjects(
  tx: Transaction<PeopleTables>,
  narrow: (invitations: Invitations) => Invitations,
): Promise<void> {
  await tx
    .selectFrom('project')
    .select('id')
    .where('id', 'in', narrow(tx.selectFrom('invitation').select('project_id')))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

/** Asked once more with the project locked: a key may have been revoked meanwhile, and an owner removed. */
async function refuseWhoIsGone(tx: Transaction<PeopleTables>, projectId: Id<'prj'>, actor: Actor): Promise<void> {
  if (actor.kind === 'operator') return
  if (actor.kind === 'key') {
    const live = await tx
      .selectFrom('api_key')
      .select('id')
      .where('project_id', '=', projectId)
      .where('id', '=', actor.keyId)
      .where('revoked_at', 'is', null)
      .executeTakeFirst()
    if (!live) throw new Problem('unauthenticated', 'The API key was revoked.')
    return
  }
  const owner = await tx
    .selectFrom('project_member')
    .select('id')
    .where('project_id', '=', projectId)
    .where('email', '=', actor.email)
    .where('person_id', 'is not', null)
    .where('role', '=', 'owner')
    .executeTakeFirst()
  if (!owner) throw new Problem('insufficient_role', 'You are no longer an owner of the project.')
}

async function findByToken(db: Kysely<PeopleTables>, token: string): Promise<SeenInvitation | undefined> {
  const row = await db
    .selectFrom('invitation')
    .innerJoin('project', 'project.id', 'invitation.project_id')
    .leftJoin('person', 'person.email', 'invitation.email')
    .select(['project.id as projectId', 'project.name as projectName', 'invitation.email', 'role'])
    .select('person.id as personId')
    .where('token_hash', '=', hashOfLinkToken(token))
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  if (!row) return undefined
  const { personId, ...seen } = row
  return { ...seen, isKnown: personId !== null }
}

const noSuchInvitation = () => new Problem('not_found', 'The project has no such invitation.')

const hasAccount = (email: string) =>
  new Problem('invalid_request', `${email} has an account here: sign in, then open the link again.`)

const deadLink = () =>
  new Problem('not_found', 'This invitation was used, revoked, or is too old. Ask whoever sent it for a new one.')
