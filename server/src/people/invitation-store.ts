/** Invitations to projects. Except for the first owner, people can get an account only through an invitation. */
import { type SelectQueryBuilder, sql } from 'kysely'
import { type Actor, type AuditedRequest, formatActor, recordAudit } from '../audit/audit-store.ts'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import type { Offboarding } from '../offboarding/offboarding.ts'
import { Problem } from '../platform/http/problem.ts'
import { type Id, isId, newId } from '../platform/ids.ts'
import { normalizeEmail } from './email.ts'
import { consumeInvitationEmailLimit } from './invitation-emails.ts'
import { generateLinkToken, hashLinkToken } from './link-token.ts'
import { isLowerRole, type MemberRole } from './member-role.ts'
import { assertHardToGuess } from './password-rules.ts'
import { hashPassword } from './passwords.ts'
import { claimPerson, insertPerson, markEmailProven } from './person-store.ts'
import type { Person } from './session.ts'
import type { PeopleTables } from './tables.ts'

export interface Invitation {
  id: Id<'inv'>
  email: string
  role: MemberRole
  /** As in the audit log. */
  invitedBy: string
  createdAt: Date
  expiresAt: Date
}

export interface InvitationDetails {
  projectId: Id<'prj'>
  projectName: string
  email: string
  role: MemberRole
  /** Whether an account with this email address exists. */
  hasAccount: boolean
  /** Whether the link was only emailed, so that it proves the address. */
  provesEmail: boolean
  /** Whether the account can be taken over with the link, because nobody has proved its address yet. Never that of an operator. */
  canClaim: boolean
}

export const linkDays = 7
const maxPending = 500
const columns = [
  'id',
  'email',
  'role',
  'invited_by as invitedBy',
  'created_at as createdAt',
  'expires_at as expiresAt',
] as const

export class InvitationStore {
  readonly #db: Database
  readonly #offboarding: Offboarding

  constructor(db: Database, offboarding: Offboarding) {
    this.#db = db
    this.#offboarding = offboarding
  }

  /**
   * A new invitation for the same address replaces the previous one, whose link stops working. `byEmail`: the link goes to the
   * invited person by email and to nobody else, so that it proves their address.
   */
  async create(
    projectId: Id<'prj'>,
    invitee: { email: string; role: MemberRole },
    actor: Actor,
    { byEmail = false } = {},
  ): Promise<{ invitation: Invitation; token: string }> {
    const token = generateLinkToken()
    const email = normalizeEmail(invitee.email)
    return this.#db.transaction().execute(async (tx) => {
      await this.#offboarding.assertMayStillGrant(tx, projectId, actor)
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
        throw new Problem(
          'invalid_request',
          `The project has ${maxPending} open invitations, which is the maximum. Revoke some first.`,
        )
      const invitation = await tx
        .insertInto('invitation')
        .values({
          project_id: projectId,
          id: newId('inv'),
          email,
          role: invitee.role,
          token_hash: hashLinkToken(token),
          invited_by: formatActor(actor),
          proves_email: byEmail,
          expires_at: sql<Date>`now() + make_interval(days => ${linkDays})`,
        })
        .returning(columns)
        .executeTakeFirstOrThrow()
      await recordAudit(tx, projectId, actor, {
        action: 'member.invited',
        subject: invitation.id,
        detail: { email, role: invitee.role },
      })
      if (byEmail) await consumeInvitationEmailLimit(tx, projectId, email)
      return { invitation, token }
    })
  }

  /** For an email that could not be sent. It can be tried again at once. */
  async withdraw(projectId: Id<'prj'>, { id, email }: Invitation, actor: Actor): Promise<void> {
    await this.revoke(projectId, id, actor)
    await this.#db
      .deleteFrom('invitation_email')
      .where('project_id', '=', projectId)
      .where('email', '=', email)
      .where('at', '>', sql<Date>`now() - interval '10 minutes'`)
      .execute()
  }

  /** Invitations that have not expired, newest first. */
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
      await recordAudit(tx, projectId, actor, { action: 'invitation.revoked', subject: invitationId, detail })
      return revoked
    })
  }

  async lookUp(token: string): Promise<InvitationDetails> {
    const invitation = await findByToken(this.#db, token)
    if (!invitation) throw deadLink()
    return invitation
  }

  /**
   * Creates an account for the email address that was invited, and for no other address. An account that someone created with this
   * address without proving it is taken over.
   */
  async acceptAsNew(
    token: string,
    account: { name: string; password: string },
    request: AuditedRequest,
  ): Promise<{ email: string }> {
    const { email, hasAccount, canClaim } = await this.lookUp(token) // before hashing, which is too expensive to do for anyone who asks
    if (hasAccount && !canClaim) throw accountExists(email)
    assertHardToGuess(account.password, { name: account.name, email })
    const password = await hashPassword(account.password)
    return this.#db.transaction().execute(async (tx) => {
      const invitation = await lockByToken(tx, token)
      if (!invitation) throw deadLink()
      const person = { name: account.name, email, password }
      const id = invitation.canClaim
        ? await claimPerson(tx, person)
        : await insertPerson(tx, { ...person, isOperator: false })
      if (!id) throw accountExists(email)
      if (invitation.canClaim) {
        const actor: Actor = { kind: 'person', email, ...request }
        await this.#offboarding.revoke(tx, { creator: email }, { keep: [], because: id, actor })
      }
      if (invitation.provesEmail) await markEmailProven(tx, id)
      await this.#join(tx, { id, email }, hashLinkToken(token), request)
      return { email }
    })
  }

  async acceptAs(person: Pick<Person, 'id' | 'email'>, token: string, request: AuditedRequest): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      const invitation = await lockByToken(tx, token)
      if (!invitation) throw deadLink()
      if (invitation.email !== person.email)
        throw new Problem(
          'invalid_request',
          `This invitation is for ${invitation.email}, but you are signed in as ${person.email}. Sign in with the other account.`,
        )
      if (invitation.provesEmail) await markEmailProven(tx, person.id)
      await this.#join(tx, person, hashLinkToken(token), request)
    })
  }

  async isInvited(email: string): Promise<boolean> {
    const invitation = await this.#db
      .selectFrom('invitation')
      .select('id')
      .where('email', '=', email.toLowerCase())
      .where('expires_at', '>', sql<Date>`now()`)
      .executeTakeFirst()
    return invitation !== undefined
  }

  /** Accepts all open invitations of a person whose email address the provider verified. */
  async acceptAll({ id, email }: Pick<Person, 'id' | 'email'>): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      await lockProjects(tx, (invitations) => invitations.where('email', '=', email.toLowerCase()))
      await markEmailProven(tx, id)
      await this.#join(tx, { id, email: email.toLowerCase() }, undefined, undefined)
    })
  }

  /**
   * Accepting never lowers the role of a person who has joined. A member who was added but never joined gets the role of the
   * invitation.
   */
  async #join(
    tx: DatabaseTransaction,
    { id: personId, email }: Pick<Person, 'id' | 'email'>,
    tokenHash: Buffer | undefined,
    request: AuditedRequest | undefined,
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
      const role = before && isLowerRole(invited.role, before.role) ? before.role : invited.role
      const { id } = await tx
        .insertInto('project_member')
        .values({ project_id: projectId, id: newId('mbr'), email, role, person_id: personId })
        .onConflict((on) => on.columns(['project_id', 'email']).doUpdateSet({ role, person_id: personId }))
        .returning('id')
        .executeTakeFirstOrThrow()
      const actor: Actor = { kind: 'person', email, ...request }
      await recordAudit(tx, projectId, actor, { action: 'member.added', subject: id, detail: { email, role } })
    }
  }
}

/** If a link is used twice at the same time, the second use waits for the first and then finds the link used. */
async function lockByToken(tx: DatabaseTransaction, token: string): Promise<InvitationDetails | undefined> {
  await lockProjects(tx, (invitations) => invitations.where('token_hash', '=', hashLinkToken(token)))
  return findByToken(tx, token)
}

type Invitations = SelectQueryBuilder<PeopleTables, 'invitation', { project_id: Id<'prj'> }>

/**
 * Uses the project's row as the lock, like the removal of a member: a person who is being removed must not rejoin at the same
 * time.
 */
async function lockProjects(tx: DatabaseTransaction, filter: (invitations: Invitations) => Invitations): Promise<void> {
  await tx
    .selectFrom('project')
    .select('id')
    .where('id', 'in', filter(tx.selectFrom('invitation').select('project_id')))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

async function findByToken(db: Database, token: string): Promise<InvitationDetails | undefined> {
  const row = await db
    .selectFrom('invitation')
    .innerJoin('project', 'project.id', 'invitation.project_id')
    .leftJoin('person', 'person.email', 'invitation.email')
    .select(['project.id as projectId', 'project.name as projectName', 'invitation.email', 'role'])
    .select(['person.id as personId', 'person.email_proven_at as provenAt', 'invitation.proves_email as provesEmail'])
    .select(['person.is_operator as isOperator', 'person.disabled_at as disabledAt'])
    .where('token_hash', '=', hashLinkToken(token))
    .where('expires_at', '>', sql<Date>`now()`)
    .where('project.deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row) return undefined
  const { personId, provenAt, isOperator, disabledAt, ...invitation } = row
  const hasAccount = personId !== null
  const isUnproved = hasAccount && provenAt === null
  // The rights of an operator do not come from an invitation to their address, and a disabled person stays disabled.
  const canClaim = isUnproved && invitation.provesEmail && isOperator === false && disabledAt === null
  return { ...invitation, hasAccount, canClaim }
}

const noSuchInvitation = () => new Problem('not_found', 'The project has no invitation with this ID.')

const accountExists = (email: string) =>
  new Problem('invalid_request', `${email} already has an account. Sign in, then open the link again.`)

const deadLink = () =>
  new Problem(
    'not_found',
    'This invitation was used or revoked, or has expired. Ask the person who invited you for a new one.',
  )
