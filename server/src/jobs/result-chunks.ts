/**
 * Stores bundles and sessions in chunks. PostgreSQL's driver holds a single large value in memory six times on the way in, and
 * again on the way out (tried), and a worker receives many of them.
 */
import { sql } from 'kysely'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import type { Id } from '../platform/ids.ts'

export type BinaryResultPart = 'bundle' | 'session'

const chunkBytes = 1024 * 1024

export async function storeResultChunks(
  tx: DatabaseTransaction,
  turnId: Id<'trn'>,
  part: BinaryResultPart,
  bytes: Buffer,
): Promise<void> {
  for (let number = 0; number * chunkBytes < bytes.length; number++) {
    const chunk = bytes.subarray(number * chunkBytes, (number + 1) * chunkBytes)
    await tx.insertInto('turn_result_chunk').values({ turn_id: turnId, part, number, bytes: chunk }).execute()
  }
}

export async function readResultChunks(
  db: Database,
  turnId: Id<'trn'>,
  part: BinaryResultPart,
  sizeBytes: number,
): Promise<Buffer> {
  const content = Buffer.alloc(sizeBytes)
  for (let number = 0; number * chunkBytes < sizeBytes; number++) {
    const { bytes } = await db
      .selectFrom('turn_result_chunk')
      .select('bytes')
      .where('turn_id', '=', turnId)
      .where('part', '=', part)
      .where('number', '=', number)
      .executeTakeFirstOrThrow()
    bytes.copy(content, number * chunkBytes)
  }
  return content
}

/**
 * Deletes what no later turn reads: the conversation and the bundle of earlier turns, if the completed turn has its own. Otherwise a job
 * with many turns would keep its whole conversation once for each of them.
 */
export async function deleteSupersededChunks(
  tx: DatabaseTransaction,
  completed: { jobId: Id<'job'>; turnId: Id<'trn'>; number: number },
): Promise<void> {
  for (const part of ['bundle', 'session'] as const) {
    const size = sql.ref(`${part}_bytes`)
    await sql`
      WITH superseded AS (
        UPDATE turn_result SET ${size} = NULL FROM turn
        WHERE turn.id = turn_result.turn_id AND turn.job_id = ${completed.jobId} AND turn.number < ${completed.number}
          AND turn_result.${size} IS NOT NULL
          AND EXISTS (SELECT FROM turn_result WHERE turn_id = ${completed.turnId} AND ${size} IS NOT NULL)
        RETURNING turn_result.turn_id
      )
      DELETE FROM turn_result_chunk AS chunk USING superseded
      WHERE chunk.turn_id = superseded.turn_id AND chunk.part = ${part}`.execute(tx)
  }
}
