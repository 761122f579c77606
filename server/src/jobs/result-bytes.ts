/**
 * Bundles and sessions, piece by piece: as one value each is held six times over by PostgreSQL's driver on its way in, and
 * again on its way out (tried), and a worker takes in many.
 */
import type { Kysely, Transaction } from 'kysely'
import type { Id } from '../platform/ids.ts'
import type { JobTables } from './tables.ts'

export type ResultPart = 'bundle' | 'session'

const pieceBytes = 1024 * 1024

export async function storeBytes(
  tx: Transaction<JobTables>,
  turnId: Id<'trn'>,
  part: ResultPart,
  bytes: Buffer,
): Promise<void> {
  for (let number = 0; number * pieceBytes < bytes.length; number++) {
    const piece = bytes.subarray(number * pieceBytes, (number + 1) * pieceBytes)
    await tx.insertInto('turn_result_chunk').values({ turn_id: turnId, part, number, bytes: piece }).execute()
  }
}

export async function readBytes(
  db: Kysely<JobTables>,
  turnId: Id<'trn'>,
  part: ResultPart,
  sizeBytes: number,
): Promise<Buffer> {
  const whole = Buffer.alloc(sizeBytes)
  for (let number = 0; number * pieceBytes < sizeBytes; number++) {
    const { bytes } = await db
      .selectFrom('turn_result_chunk')
      .select('bytes')
      .where('turn_id', '=', turnId)
      .where('part', '=', part)
      .where('number', '=', number)
      .executeTakeFirstOrThrow()
    bytes.copy(whole, number * pieceBytes)
  }
  return whole
}
