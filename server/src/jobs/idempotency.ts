/** For a day, a request with a known idempotency key gets the stored response and does not count against the rate limit. */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'

export interface IdempotentRequest {
  key: string
  method: string
  /** The complete path with its ids: the same key on another route is another request. */
  path: string
  body: unknown
}

export interface IdempotentResponse {
  status: number
  body: unknown
}

const isRetained = sql<boolean>`created_at > now() - interval '24 hours'`

export async function findIdempotentResponse(
  db: Database | DatabaseTransaction,
  projectId: Id<'prj'>,
  request: IdempotentRequest,
): Promise<IdempotentResponse | undefined> {
  const row = await db
    .selectFrom('idempotency_key')
    .select(['fingerprint', 'status', 'body'])
    .where('project_id', '=', projectId)
    .where('key', '=', request.key)
    .where(isRetained)
    .executeTakeFirst()
  if (!row) return undefined
  if (!row.fingerprint.equals(fingerprintOf(request))) {
    throw new Problem(
      'idempotency_key_reused',
      'This Idempotency-Key was already used for a different request. Use a new key.',
    )
  }
  return { status: row.status, body: JSON.parse(row.body) }
}

/** Call it in the transaction that does the work. Replaces an expired row with the same key. */
export async function storeIdempotentResponse(
  tx: DatabaseTransaction,
  projectId: Id<'prj'>,
  request: IdempotentRequest,
  response: IdempotentResponse,
  at: Date,
): Promise<void> {
  const row = {
    fingerprint: fingerprintOf(request),
    status: response.status,
    body: JSON.stringify(response.body),
    created_at: at,
  }
  await tx
    .insertInto('idempotency_key')
    .values({ project_id: projectId, key: request.key, ...row })
    .onConflict((conflict) => conflict.columns(['project_id', 'key']).doUpdateSet(row))
    .execute()
}

/** Deletes some of them. Returns how many. */
export async function deleteExpiredIdempotentResponses(db: Database, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    DELETE FROM idempotency_key WHERE ctid IN (
      SELECT ctid FROM idempotency_key WHERE NOT ${isRetained} LIMIT ${limit})`.execute(db)
  return Number(numAffectedRows)
}

function fingerprintOf({ method, path, body }: IdempotentRequest): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([method, path, sortFields(body)]))
    .digest()
}

/** Makes the fingerprint independent of the order of fields. */
function sortFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortFields)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.map(([name, inner]) => [name, sortFields(inner)])
}
