/**
 * Deliveries of events to endpoints. The worker leases an endpoint, claims the deliveries that are due, and records how each call ended.
 *
 * Deliveries with the same order key (the job, the runner, the budget) are sent one after another, in the order of the events: the next
 * one waits until the one before was delivered or given up. Deliveries with other keys do not wait.
 */
import { type Selectable, sql } from 'kysely'
import { type Actor, recordAudit } from '../audit/audit-store.ts'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import { Problem } from '../platform/http/problem.ts'
import { type Id, isId, newId } from '../platform/ids.ts'
import {
  type Delivery,
  type DeliveryAttempt,
  type DeliveryStatus,
  type DisabledReason,
  testEventType,
  type WebhookEvent,
} from './endpoint.ts'
import { type EndpointRow, lockEndpoint, noSuchEndpoint } from './endpoint-store.ts'
import {
  disableAfterDays,
  endpointBackoffSeconds,
  giveUpAfterHours,
  maxConsecutiveFailures,
  retryDelaySeconds,
} from './retry-schedule.ts'
import type { WebhookTables } from './tables.ts'

/** Longer than a call and what is written before and after it. A process that is killed delays its endpoint by this. */
const leaseSeconds = 20

/** A signal that was lost is repeated after this. */
const wakeAgainSeconds = 5

export const deliveryRetentionDays = 30

/** Of the emails about a disabled endpoint. */
const maxNoticeAttempts = 24

export interface ClaimedDelivery {
  id: Id<'dlv'>
  attempt: number
  event: WebhookEvent
}

export interface DeliveryResult {
  durationMs: number
  responseStatus: number | null
  responseBeginning: string | null
  /** Null: delivered. */
  error: string | null
  /** The endpoint is disabled because of the result. */
  disable?: Extract<DisabledReason, 'gone' | 'recipient_left'>
}

export interface DisabledNotice {
  projectId: Id<'prj'>
  endpointId: Id<'end'>
  name: string
  target: string
  reason: DisabledReason
}

export interface DeliveryQuery {
  status: DeliveryStatus | undefined
  limit: number
  before: string | undefined
}

export class DeliveryStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Endpoints with a delivery that is due, and that no process sends to. Each is returned to one replica only. */
  async claimToWake(limit: number): Promise<Id<'end'>[]> {
    const { rows } = await sql<{ id: Id<'end'> }>`
      UPDATE webhook_endpoint SET woken_at = now() WHERE id IN (
        SELECT id FROM webhook_endpoint AS endpoint
        WHERE disabled_at IS NULL AND coalesce(retry_at <= now(), true) AND coalesce(lease_expires_at < now(), true)
          AND coalesce(woken_at < now() - make_interval(secs => ${wakeAgainSeconds}), true)
          AND EXISTS (SELECT FROM endpoint_delivery AS delivery WHERE delivery.endpoint_id = endpoint.id
            AND delivery.due_at <= now() AND ${isFirstOfKey})
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)
      RETURNING id`.execute(this.#db)
    return rows.map(({ id }) => id)
  }

  /** Undefined: the endpoint is disabled or deleted, or another process sends to it. */
  async acquireLease(endpointId: Id<'end'>, holder: string): Promise<EndpointRow | undefined> {
    return this.#db
      .updateTable('webhook_endpoint')
      .set({ lease_holder: holder, lease_expires_at: leaseEnd })
      .where('id', '=', endpointId)
      .where('disabled_at', 'is', null)
      .where((where) =>
        where.or([where('lease_expires_at', 'is', null), where('lease_expires_at', '<', sql<Date>`now()`)]),
      )
      .returningAll()
      .executeTakeFirst()
  }

  async releaseLease(endpointId: Id<'end'>, holder: string): Promise<void> {
    await this.#db
      .updateTable('webhook_endpoint')
      .set({ lease_holder: null, lease_expires_at: null, woken_at: null })
      .where('id', '=', endpointId)
      .where('lease_holder', '=', holder)
      .execute()
  }

  /**
   * Renews the lease and claims deliveries that are due, of which the log has the attempt from then on. If the process is killed, they
   * are due again when the lease has expired. Undefined: the lease is lost.
   */
  async claimDue(
    endpointId: Id<'end'>,
    holder: string,
    { limit, inFlight }: { limit: number; inFlight: number },
  ): Promise<ClaimedDelivery[] | undefined> {
    return this.#db.transaction().execute(async (tx) => {
      const endpoint = await tx
        .updateTable('webhook_endpoint')
        .set({ lease_expires_at: leaseEnd })
        .where('id', '=', endpointId)
        .where('lease_holder', '=', holder)
        .where('lease_expires_at', '>', sql<Date>`now()`)
        .where('disabled_at', 'is', null)
        .returning(['project_id', 'consecutive_failures'])
        .returning(sql<boolean>`coalesce(retry_at > now(), false)`.as('backs_off'))
        .executeTakeFirst()
      if (!endpoint) return undefined
      const isFailing = endpoint.consecutive_failures >= maxConsecutiveFailures
      if (endpoint.backs_off || (isFailing && inFlight > 0)) return []
      const { rows } = await sql<{
        id: Id<'dlv'>
        attempt: number
        event_id: Id<'evt'>
        type: string
        at: Date
        data: Record<string, unknown>
      }>`
        WITH claimed AS (
          UPDATE endpoint_delivery SET attempts = attempts + 1, due_at = ${leaseEnd} WHERE id IN (
            SELECT id FROM endpoint_delivery AS delivery
            WHERE endpoint_id = ${endpointId} AND due_at <= now() AND ${isFirstOfKey}
            ORDER BY sequence LIMIT ${isFailing ? 1 : limit})
          RETURNING id, sequence, attempts, event_id
        ), logged AS (
          INSERT INTO endpoint_attempt (project_id, delivery_id, number)
          SELECT ${endpoint.project_id}, id, attempts FROM claimed
        )
        SELECT claimed.id, attempts AS attempt, event_id, type, at, data
        FROM claimed JOIN webhook_event ON webhook_event.id = event_id ORDER BY sequence`.execute(tx)
      return rows.map(({ id, attempt, event_id, type, at, data }) => ({
        id,
        attempt,
        event: { id: event_id, type, at, data },
      }))
    })
  }

  /** Nothing is delivered before the lease of another process has expired, or before a failing endpoint is called again. */
  async readNextDelayMs(endpointId: Id<'end'>): Promise<number | null> {
    const { rows } = await sql<{ delay_ms: number }>`
      SELECT greatest(extract(epoch FROM greatest(min(due_at), max(retry_at), max(lease_expires_at)) - now()) * 1000, 0)::float8
        AS delay_ms
      FROM endpoint_delivery AS delivery JOIN webhook_endpoint AS endpoint ON endpoint.id = endpoint_id
      WHERE endpoint_id = ${endpointId} AND disabled_at IS NULL AND ${isFirstOfKey}
      HAVING count(*) > 0`.execute(this.#db)
    return rows[0]?.delay_ms ?? null
  }

  async recordResult(endpointId: Id<'end'>, { id, attempt }: ClaimedDelivery, result: DeliveryResult): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      // First, like `claimDue`, so that the two cannot wait for each other.
      await tx.selectFrom('webhook_endpoint').select('id').where('id', '=', endpointId).forNoKeyUpdate().execute()
      await tx
        .updateTable('endpoint_attempt')
        .set({
          duration_ms: Math.round(result.durationMs),
          response_status: result.responseStatus,
          response_beginning: result.responseBeginning,
          error: result.error,
        })
        .where('delivery_id', '=', id)
        .where('number', '=', attempt)
        .execute()
      if (result.error === null) await recordSuccess(tx, endpointId, id)
      else await recordFailure(tx, endpointId, { id, attempt, disable: result.disable })
    })
  }

  /** Deliveries that wait behind another one, or of an endpoint that is disabled or backs off, are given up here. */
  async giveUpOverdue(limit: number): Promise<number> {
    const { rows } = await sql`
      UPDATE endpoint_delivery SET status = 'failed', ended_at = now() WHERE id IN (
        SELECT id FROM endpoint_delivery WHERE status = 'pending' AND created_at < now() - make_interval(hours => ${giveUpAfterHours})
          AND due_at < now() - interval '1 minute'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)
      RETURNING id`.execute(this.#db)
    return rows.length
  }

  /** Of events past the retention, with their deliveries and attempts. Returns how many. */
  async deleteExpired(limit: number): Promise<number> {
    const { rows } = await sql`
      DELETE FROM webhook_event WHERE id IN (
        SELECT id FROM webhook_event WHERE at < now() - make_interval(days => ${deliveryRetentionDays}) LIMIT ${limit})
      RETURNING id`.execute(this.#db)
    return rows.length
  }

  /** Endpoints that were disabled and whose owners have to be told. Due again later, unless `confirmNotice` is called. */
  async takeDueNotices(limit: number): Promise<DisabledNotice[]> {
    const { rows } = await sql<DisabledNotice>`
      UPDATE webhook_endpoint SET notice_attempts = notice_attempts + 1, notice_due_at = CASE
        WHEN notice_attempts < ${maxNoticeAttempts} THEN now() + least(interval '1 minute' * 2 ^ notice_attempts, interval '1 hour') END
      WHERE id IN (SELECT id FROM webhook_endpoint WHERE notice_due_at <= now() LIMIT ${limit} FOR UPDATE SKIP LOCKED)
      RETURNING project_id AS "projectId", id AS "endpointId", name, target, disabled_reason AS reason`.execute(
      this.#db,
    )
    return rows
  }

  async confirmNotice(endpointId: Id<'end'>): Promise<void> {
    await this.#db
      .updateTable('webhook_endpoint')
      .set({ notice_due_at: null, notice_attempts: 0 })
      .where('id', '=', endpointId)
      .execute()
  }

  /** Newest first; `before` is the last ID of the previous page. */
  async list(projectId: Id<'prj'>, endpointId: string, { status, limit, before }: DeliveryQuery): Promise<Delivery[]> {
    await this.#assertEndpoint(projectId, endpointId)
    let query = selectDeliveries(this.#db, projectId, endpointId as Id<'end'>)
    if (status !== undefined) query = query.where('endpoint_delivery.status', '=', status)
    if (before !== undefined) query = query.where('endpoint_delivery.id', '<', before as Id<'dlv'>) // any text can be compared with an id
    const rows = await query.orderBy('endpoint_delivery.id', 'desc').limit(limit).execute()
    return rows.map(toDelivery)
  }

  async get(
    projectId: Id<'prj'>,
    endpointId: string,
    id: string,
  ): Promise<{ delivery: Delivery; event: WebhookEvent; attempts: DeliveryAttempt[] }> {
    await this.#assertEndpoint(projectId, endpointId)
    if (!isId('dlv', id)) throw noSuchDelivery()
    const row = await selectDeliveries(this.#db, projectId, endpointId as Id<'end'>)
      .select('webhook_event.data')
      .where('endpoint_delivery.id', '=', id)
      .executeTakeFirst()
    if (!row) throw noSuchDelivery()
    const attempts = await this.#db
      .selectFrom('endpoint_attempt')
      .selectAll()
      .where('delivery_id', '=', id)
      .orderBy('number')
      .execute()
    return {
      delivery: toDelivery(row),
      event: { id: row.event_id, type: row.type, at: row.at, data: row.data },
      attempts: attempts.map(toAttempt),
    }
  }

  /** A new delivery of the same event, which the receiver knows by its ID. It waits for no other. */
  async resend(projectId: Id<'prj'>, endpointId: string, id: string, actor: Actor): Promise<Delivery> {
    return this.#db.transaction().execute(async (tx) => {
      const endpoint = await lockEnabledEndpoint(tx, projectId, endpointId)
      const original = isId('dlv', id)
        ? await tx
            .selectFrom('endpoint_delivery')
            .select('event_id')
            .where('endpoint_id', '=', endpoint.id)
            .where('id', '=', id)
            .executeTakeFirst()
        : undefined
      if (!original) throw noSuchDelivery()
      const delivery = await addDelivery(tx, endpoint, original.event_id, true)
      const detail = { delivery: id, event: original.event_id }
      await recordAudit(tx, projectId, actor, { action: 'webhook.resent', subject: endpoint.id, detail })
      return delivery
    })
  }

  /** Sends an event of type `webhook.test` to one endpoint. */
  async sendTest(projectId: Id<'prj'>, endpointId: string): Promise<Delivery> {
    return this.#db.transaction().execute(async (tx) => {
      const endpoint = await lockEnabledEndpoint(tx, projectId, endpointId)
      const eventId = newId('evt')
      await tx
        .insertInto('webhook_event')
        .values({
          project_id: projectId,
          id: eventId,
          type: testEventType,
          job_id: null,
          data: JSON.stringify({ projectId, endpoint: { id: endpoint.id, name: endpoint.name } }),
          at: sql<Date>`now()`,
        })
        .execute()
      return addDelivery(tx, endpoint, eventId, false)
    })
  }

  async #assertEndpoint(projectId: Id<'prj'>, id: string): Promise<void> {
    const row = isId('end', id)
      ? await this.#db
          .selectFrom('webhook_endpoint')
          .select('id')
          .where('project_id', '=', projectId)
          .where('id', '=', id)
          .executeTakeFirst()
      : undefined
    if (!row) throw noSuchEndpoint()
  }
}

const leaseEnd = sql<Date>`clock_timestamp() + make_interval(secs => ${leaseSeconds})`

/** No earlier delivery with the same key is pending. */
const isFirstOfKey = sql`delivery.status = 'pending' AND NOT EXISTS (
  SELECT FROM endpoint_delivery AS earlier
  WHERE earlier.endpoint_id = delivery.endpoint_id AND earlier.order_key = delivery.order_key
    AND earlier.sequence < delivery.sequence AND earlier.status = 'pending')`

async function recordSuccess(tx: DatabaseTransaction, endpointId: Id<'end'>, id: Id<'dlv'>): Promise<void> {
  await tx
    .updateTable('endpoint_delivery')
    .set({ status: 'delivered', ended_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
  await tx
    .updateTable('webhook_endpoint')
    .set({ failing_since: null, consecutive_failures: 0, retry_at: null })
    .where('id', '=', endpointId)
    .where('consecutive_failures', '>', 0)
    .execute()
}

async function recordFailure(
  tx: DatabaseTransaction,
  endpointId: Id<'end'>,
  { id, attempt, disable }: { id: Id<'dlv'>; attempt: number; disable: DisabledReason | undefined },
): Promise<void> {
  const giveUpAt = sql`created_at + make_interval(hours => ${giveUpAfterHours})`
  const isOver = disable === undefined ? sql`now() >= ${giveUpAt}` : sql`true`
  await sql`
    UPDATE endpoint_delivery SET
      status = CASE WHEN ${isOver} THEN 'failed' ELSE status END,
      ended_at = CASE WHEN ${isOver} THEN now() END,
      due_at = least(now() + make_interval(secs => ${retryDelaySeconds(attempt)}), ${giveUpAt})
    WHERE id = ${id} AND status = 'pending'`.execute(tx)
  const endpoint = await tx
    .updateTable('webhook_endpoint')
    .set({
      consecutive_failures: sql<number>`consecutive_failures + 1`,
      failing_since: sql<Date>`coalesce(failing_since, now())`,
    })
    .where('id', '=', endpointId)
    .returning('consecutive_failures')
    .returning(sql<boolean>`failing_since < now() - make_interval(days => ${disableAfterDays})`.as('has_failed_long'))
    .executeTakeFirst()
  if (!endpoint) return
  const backoffSeconds = endpointBackoffSeconds(endpoint.consecutive_failures)
  const reason = disable ?? (endpoint.has_failed_long ? 'failing' : undefined)
  if (backoffSeconds === null && reason === undefined) return
  await tx
    .updateTable('webhook_endpoint')
    .set({
      ...(backoffSeconds !== null && { retry_at: sql<Date>`now() + make_interval(secs => ${backoffSeconds})` }),
      ...(reason && {
        disabled_at: sql<Date>`coalesce(disabled_at, now())`,
        disabled_reason: sql<DisabledReason>`coalesce(disabled_reason, ${reason})`,
        notice_due_at: sql<Date>`CASE WHEN disabled_at IS NULL THEN now() ELSE notice_due_at END`,
      }),
    })
    .where('id', '=', endpointId)
    .execute()
}

async function lockEnabledEndpoint(tx: DatabaseTransaction, projectId: Id<'prj'>, id: string): Promise<EndpointRow> {
  const endpoint = await lockEndpoint(tx, projectId, id)
  if (endpoint.disabled_at !== null) throw new Problem('invalid_request', 'The endpoint is disabled. Enable it first.')
  return endpoint
}

async function addDelivery(
  tx: DatabaseTransaction,
  endpoint: EndpointRow,
  eventId: Id<'evt'>,
  isResend: boolean,
): Promise<Delivery> {
  const id = newId('dlv')
  await tx
    .insertInto('endpoint_delivery')
    .values({
      project_id: endpoint.project_id,
      endpoint_id: endpoint.id,
      event_id: eventId,
      id,
      order_key: id,
      is_resend: isResend,
    })
    .execute()
  const row = await selectDeliveries(tx, endpoint.project_id, endpoint.id)
    .where('endpoint_delivery.id', '=', id)
    .executeTakeFirstOrThrow()
  return toDelivery(row)
}

const selectDeliveries = (db: Database, projectId: Id<'prj'>, endpointId: Id<'end'>) =>
  db
    .selectFrom('endpoint_delivery')
    .innerJoin('webhook_event', 'webhook_event.id', 'endpoint_delivery.event_id')
    .selectAll('endpoint_delivery')
    .select(['webhook_event.type', 'webhook_event.at'])
    .where('endpoint_delivery.project_id', '=', projectId)
    .where('endpoint_delivery.endpoint_id', '=', endpointId)

type DeliveryRow = Selectable<WebhookTables['endpoint_delivery']> & { type: string; at: Date }

const toDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  event: { id: row.event_id, type: row.type, at: row.at },
  status: row.status,
  isResend: row.is_resend,
  attempts: row.attempts,
  createdAt: row.created_at,
  nextAttemptAt: row.status === 'pending' ? row.due_at : null,
  endedAt: row.ended_at,
})

const toAttempt = (row: Selectable<WebhookTables['endpoint_attempt']>): DeliveryAttempt => ({
  number: row.number,
  startedAt: row.started_at,
  durationMs: row.duration_ms,
  responseStatus: row.response_status,
  responseBeginning: row.response_beginning,
  error: row.error,
})

const noSuchDelivery = () => new Problem('not_found', 'The endpoint has no delivery with this ID.')
