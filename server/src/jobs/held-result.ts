import { createHash } from 'node:crypto'
import type { DatabaseTransaction } from '../database/database.ts'
import type { Id } from '../platform/ids.ts'
import type { HeldResult } from './approval.ts'

/** An approval names it, so that it never applies to another result than the one that the person has read. */
export const computeDiffSha256 = (diff: string): string => createHash('sha256').update(diff).digest('hex')

export async function insertHeldResult(
  tx: DatabaseTransaction,
  turnId: Id<'trn'>,
  { diff, isDiffComplete, reasons, newHosts }: HeldResult,
  at: Date,
): Promise<void> {
  await tx
    .insertInto('held_result')
    .values({
      turn_id: turnId,
      diff,
      diff_sha256: computeDiffSha256(diff),
      is_diff_complete: isDiffComplete,
      reasons: JSON.stringify(reasons),
      new_hosts: [...newHosts],
      held_at: at,
    })
    .execute()
}
