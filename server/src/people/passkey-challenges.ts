/** Challenges that a passkey has to sign. Each belongs to one browser, which keeps it in a cookie, and works once. */
import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Id } from '../platform/ids.ts'
import type { PeopleTables } from './tables.ts'

type ChallengePurpose = PeopleTables['passkey_challenge']['purpose']

/** As long as browsers wait for a person by default. */
export const challengeSeconds = 300

const hashChallenge = (challenge: string) => createHash('sha256').update(challenge).digest()

/** `personId`: null if the passkey says who signs in. */
export async function createChallenge(
  db: Database,
  purpose: ChallengePurpose,
  personId: Id<'per'> | null,
): Promise<string> {
  const challenge = randomBytes(32).toString('base64url')
  await db
    .insertInto('passkey_challenge')
    .values({
      challenge_hash: hashChallenge(challenge),
      purpose,
      person_id: personId,
      expires_at: sql<Date>`now() + make_interval(secs => ${challengeSeconds})`,
    })
    .execute()
  return challenge
}

/** Returns undefined if the challenge was used before, has expired, or was not created here. */
export async function consumeChallenge(
  db: Database,
  challenge: string,
  purpose: ChallengePurpose,
): Promise<{ personId: Id<'per'> | null } | undefined> {
  return db
    .deleteFrom('passkey_challenge')
    .where('challenge_hash', '=', hashChallenge(challenge))
    .where('purpose', '=', purpose)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning('person_id as personId')
    .executeTakeFirst()
}
