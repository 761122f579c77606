/**
 * Whether a password alone signs a person in. better-auth decides it by `person.two_factor_enabled`, and keeps the recovery codes in the
 * row of the authenticator app, which people with only passkeys have as well.
 */
import type { Database, DatabaseTransaction } from '../database/database.ts'
import { type Id, newId } from '../platform/ids.ts'
import type { SecondFactor } from './session.ts'

/** What a first second factor comes with. Stored as better-auth stores them: the codes as hashes, the secret encrypted. */
export interface NewSecondFactor {
  recoveryCodes: string[]
  storedRecoveryCodes: string
  /** For the authenticator app that the person does not have. Nobody knows it. */
  encryptedSecret: string
}

export async function listSecondFactors(db: Database, personId: Id<'per'>): Promise<SecondFactor[]> {
  const authenticator = await db
    .selectFrom('person_two_factor')
    .innerJoin('person', 'person.id', 'person_two_factor.person_id')
    .select('person.id')
    .where('person_id', '=', personId)
    .where('verified', '=', true)
    .where('two_factor_enabled', '=', true)
    .executeTakeFirst()
  const passkey = await db
    .selectFrom('person_passkey')
    .select('id')
    .where('person_id', '=', personId)
    .limit(1)
    .executeTakeFirst()
  return [...(authenticator ? ['authenticator' as const] : []), ...(passkey ? ['passkey' as const] : [])]
}

/** Before any change of the second factors of a person, so that two changes at the same time cannot miss each other. */
export async function lockSecondFactors(
  tx: DatabaseTransaction,
  personId: Id<'per'>,
): Promise<{ isOn: boolean } | undefined> {
  return tx
    .selectFrom('person')
    .select('two_factor_enabled as isOn')
    .where('id', '=', personId)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** After the first passkey of a person who has no second factor yet. */
export async function turnSecondFactorOn(
  tx: DatabaseTransaction,
  personId: Id<'per'>,
  { storedRecoveryCodes, encryptedSecret }: NewSecondFactor,
): Promise<void> {
  const values = {
    secret: encryptedSecret,
    backup_codes: storedRecoveryCodes,
    verified: false,
    failed_verification_count: 0,
    locked_until: null,
  }
  await tx
    .insertInto('person_two_factor')
    .values({ id: newId('ses'), person_id: personId, ...values })
    .onConflict((conflict) => conflict.column('person_id').doUpdateSet(values))
    .execute()
  await tx.updateTable('person').set({ two_factor_enabled: true }).where('id', '=', personId).execute()
}

/** As they are stored: hashes. */
export async function readRecoveryCodes(db: Database, personId: Id<'per'>): Promise<string | undefined> {
  const row = await db
    .selectFrom('person_two_factor')
    .select('backup_codes')
    .where('person_id', '=', personId)
    .executeTakeFirst()
  return row?.backup_codes
}

export async function writeRecoveryCodes(db: Database, personId: Id<'per'>, stored: string): Promise<void> {
  await db.updateTable('person_two_factor').set({ backup_codes: stored }).where('person_id', '=', personId).execute()
}

/** The recovery codes stay if the person has passkeys. */
export async function removeAuthenticator(
  tx: DatabaseTransaction,
  personId: Id<'per'>,
  { encryptedSecret }: NewSecondFactor,
): Promise<void> {
  await tx
    .updateTable('person_two_factor')
    .set({ verified: false, secret: encryptedSecret })
    .where('person_id', '=', personId)
    .execute()
  await turnOffIfNoneIsLeft(tx, personId)
}

export async function turnOffIfNoneIsLeft(tx: DatabaseTransaction, personId: Id<'per'>): Promise<void> {
  if ((await listSecondFactors(tx, personId)).length === 0) await removeSecondFactors(tx, personId)
}

/** All of them, and the recovery codes. */
export async function removeSecondFactors(tx: DatabaseTransaction, personId: Id<'per'>): Promise<void> {
  await tx.updateTable('person').set({ two_factor_enabled: false }).where('id', '=', personId).execute()
  for (const table of ['person_passkey', 'passkey_challenge', 'person_two_factor'] as const)
    await tx.deleteFrom(table).where('person_id', '=', personId).execute()
}
