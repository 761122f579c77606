/** The passkeys of people. A passkey signs in without a password, because the authenticator has verified the person. */
import { sql } from 'kysely'
import { type Actor, recordInstanceAudit } from '../audit/audit-store.ts'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import { Problem } from '../platform/http/problem.ts'
import { type Id, newId } from '../platform/ids.ts'
import { consumeChallenge, createChallenge } from './passkey-challenges.ts'
import { lockSecondFactors, type NewSecondFactor, turnOffIfNoneIsLeft, turnSecondFactorOn } from './second-factors.ts'
import type { LiveSession, Person } from './session.ts'
import {
  createCreationOptions,
  createRequestOptions,
  type NewCredential,
  type RelyingParty,
  type SignedChallenge,
  toUserHandle,
  verifyNewCredential,
  verifySignedChallenge,
} from './webauthn.ts'

export interface Passkey {
  id: Id<'psk'>
  name: string
  createdAt: Date
  lastUsedAt: Date | null
}

export const maxPasskeys = 10

export class PasskeyStore {
  readonly #db: Database
  readonly #relyingParty: RelyingParty
  readonly #prepareSecondFactor: () => Promise<NewSecondFactor>

  constructor(db: Database, relyingParty: RelyingParty, prepareSecondFactor: () => Promise<NewSecondFactor>) {
    this.#db = db
    this.#relyingParty = relyingParty
    this.#prepareSecondFactor = prepareSecondFactor
  }

  async list(personId: Id<'per'>): Promise<Passkey[]> {
    return this.#db
      .selectFrom('person_passkey')
      .select(['id', 'name', 'created_at as createdAt', 'last_used_at as lastUsedAt'])
      .where('person_id', '=', personId)
      .orderBy('created_at')
      .execute()
  }

  /** Returns what the browser passes to its authenticators. */
  async startAdding(person: Person) {
    const challenge = await createChallenge(this.#db, 'add', person.id)
    const existing = await this.#listCredentials(person.id)
    return createCreationOptions(this.#relyingParty, { person, challenge, existing })
  }

  /** Returns recovery codes if this is the first second factor of the person. Their other sessions end then: a password started them. */
  async add(
    { id: sessionId, person }: LiveSession,
    { name, credential, challenge }: { name: string; credential: NewCredential; challenge: string },
    actor: Actor,
  ): Promise<{ passkey: Passkey; recoveryCodes: string[] }> {
    const started = await consumeChallenge(this.#db, challenge, 'add')
    if (started?.personId !== person.id)
      throw new Problem('invalid_request', 'This took too long, or another window was faster. Add the passkey again.')
    const verified = await verifyNewCredential(this.#relyingParty, challenge, credential)
    if (!verified)
      throw new Problem(
        'invalid_request',
        'The passkey was not accepted. Add it on the dashboard at its public URL, with a device that asks for a PIN, a fingerprint ' +
          'or your face.',
      )
    const prepared = await this.#prepareSecondFactor()
    return this.#db.transaction().execute(async (tx) => {
      const secondFactor = await lockSecondFactors(tx, person.id)
      await assertRoomForAnother(tx, person.id)
      const passkey = await tx
        .insertInto('person_passkey')
        .values({
          id: newId('psk'),
          person_id: person.id,
          name,
          credential_id: verified.id,
          public_key: verified.publicKey,
          counter: verified.counter,
          transports: credential.response.transports,
        })
        .onConflict((conflict) => conflict.column('credential_id').doNothing())
        .returning(['id', 'name', 'created_at as createdAt', 'last_used_at as lastUsedAt'])
        .executeTakeFirst()
      if (!passkey) throw new Problem('invalid_request', 'This passkey is already in use. Add another one.')
      await recordInstanceAudit(tx, actor, { action: 'passkey.added', subject: passkey.id, detail: { name } })
      if (secondFactor?.isOn) return { passkey, recoveryCodes: [] }
      await turnSecondFactorOn(tx, person.id, prepared)
      await endOtherSessions(tx, person.id, sessionId)
      return { passkey, recoveryCodes: prepared.recoveryCodes }
    })
  }

  /** Also ends the other sessions of the person, which may have been started with the passkey. Nothing happens without it. */
  async remove({ id: sessionId, person }: LiveSession, passkeyId: string, actor: Actor): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      await lockSecondFactors(tx, person.id)
      const removed = await tx
        .deleteFrom('person_passkey')
        .where('person_id', '=', person.id)
        .where('id', '=', passkeyId as Id<'psk'>)
        .returning(['id', 'name'])
        .executeTakeFirst()
      if (!removed) return
      await turnOffIfNoneIsLeft(tx, person.id)
      await endOtherSessions(tx, person.id, sessionId)
      const detail = { name: removed.name }
      await recordInstanceAudit(tx, actor, { action: 'passkey.removed', subject: removed.id, detail })
    })
  }

  /** `personId`: who signs in again. Null if the passkey says who signs in. */
  async startSignIn(personId: Id<'per'> | null) {
    const challenge = await createChallenge(this.#db, 'sign_in', personId)
    const allowed = personId === null ? [] : await this.#listCredentials(personId)
    return createRequestOptions(this.#relyingParty, { challenge, allowed })
  }

  /** The email address of the person whose passkey it is, before anything is verified. */
  async findOwner(credentialId: string): Promise<string | undefined> {
    const owner = await this.#db
      .selectFrom('person_passkey')
      .innerJoin('person', 'person.id', 'person_passkey.person_id')
      .select('person.email')
      .where('credential_id', '=', credentialId)
      .executeTakeFirst()
    return owner?.email
  }

  /** Returns the person whose passkey signed the challenge. */
  async verify(signed: SignedChallenge, challenge: string): Promise<Id<'per'>> {
    const started = await consumeChallenge(this.#db, challenge, 'sign_in')
    if (!started) throw notAccepted()
    return this.#db.transaction().execute(async (tx) => {
      const passkey = await tx
        .selectFrom('person_passkey')
        .select(['id', 'person_id', 'public_key', 'counter'])
        .where('credential_id', '=', signed.id)
        .forUpdate()
        .executeTakeFirst()
      if (!passkey || !isExpectedPerson(passkey.person_id, started.personId, signed)) throw notAccepted()
      const counter = await verifySignedChallenge(this.#relyingParty, challenge, signed, {
        id: signed.id,
        publicKey: passkey.public_key,
        counter: Number(passkey.counter),
      })
      if (counter === undefined) throw notAccepted()
      await tx
        .updateTable('person_passkey')
        .set({ counter, last_used_at: sql<Date>`now()` })
        .where('id', '=', passkey.id)
        .execute()
      return passkey.person_id
    })
  }

  async #listCredentials(personId: Id<'per'>): Promise<{ id: string; transports: string[] }[]> {
    return this.#db
      .selectFrom('person_passkey')
      .select(['credential_id as id', 'transports'])
      .where('person_id', '=', personId)
      .execute()
  }
}

/** The owner of the passkey, according to the authenticator, and, if someone signs in again, the person who is signed in. */
const isExpectedPerson = (
  owner: Id<'per'>,
  signedIn: Id<'per'> | null,
  { response: { userHandle } }: SignedChallenge,
): boolean => (signedIn === null || signedIn === owner) && (userHandle === null || userHandle === toUserHandle(owner))

async function assertRoomForAnother(tx: DatabaseTransaction, personId: Id<'per'>): Promise<void> {
  const { count } = await tx
    .selectFrom('person_passkey')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('person_id', '=', personId)
    .executeTakeFirstOrThrow()
  if (count >= maxPasskeys)
    throw new Problem('invalid_request', `You have ${maxPasskeys} passkeys, which is the limit. Remove one first.`)
}

async function endOtherSessions(tx: DatabaseTransaction, personId: Id<'per'>, kept: Id<'ses'>): Promise<void> {
  await tx.deleteFrom('person_session').where('person_id', '=', personId).where('id', '!=', kept).execute()
}

/** The same for every reason, so that nobody learns which passkeys exist. */
const notAccepted = () =>
  new Problem(
    'unauthenticated',
    'The passkey was not accepted. It may have been removed. Try again, or sign in with your password.',
  )
