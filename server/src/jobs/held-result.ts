import { createHash } from 'node:crypto'
import type { ExpressionBuilder } from 'kysely'
import type { DatabaseTransaction, Tables } from '../database/database.ts'
import type { Id } from '../platform/ids.ts'
import type { HeldResult } from './approval.ts'

/** An approval names it, so that it never applies to another result than the one that the person has read. */
export const computeDiffSha256 = (diff: string): string => createHash('sha256').update(diff).digest('hex')

/** The result that a job awaits approval of. Earlier ones were replaced by later messages. */
export const selectAwaitingResult = (query: ExpressionBuilder<Tables, 'job'>) =>
  query
    .selectFrom('held_result')
    .innerJoin('turn', 'turn.id', 'held_result.turn_id')
    .whereRef('turn.project_id', '=', 'job.project_id')
    .whereRef('turn.job_id', '=', 'job.id')
    .where('turn.outcome', '=', 'awaiting_approval')
    .where('job.outcome', '=', 'awaiting_approval')
    .where('job.status', '=', 'completed')
    .orderBy('turn.number', 'desc')
    .limit(1)

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
