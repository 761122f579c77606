/**
 * Stores bundles and sessions in chunks. PostgreSQL's driver holds a single large value in memory six times on the way in, and
 * again on the way out (tried), and a worker receives many of them.
 */
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
