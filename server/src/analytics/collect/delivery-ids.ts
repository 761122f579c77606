/**
 * The IDs of deliveries, by which a repeated delivery is recognized. They are in partitions by the time of arrival, which are dropped
 * when they have expired.
 */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, Tables } from '../../database/database.ts'
import { olderVersionMayRun } from '../../database/older-version.ts'
import type { Id } from '../../platform/ids.ts'
import type { PipelinedTransaction } from '../../platform/pipelined-transaction.ts'
import { type DeliveryIdRetention, deliveryIdRetentions, type ViewDelivery } from './view-delivery.ts'

export type AppendOutcome = 'stored' | 'repeated'

interface DeliveryIdTable {
  name: 'beacon_delivery' | 'log_line_delivery' | 'batch_delivery'
  slotMinutes: number
  /** How long a partition is kept after its end. */
  keepMinutes: number
}

const dayMinutes = 24 * 60
const tableOfRetention = {
  half_hour: { name: 'beacon_delivery', slotMinutes: 30, keepMinutes: 30 },
  day: { name: 'log_line_delivery', slotMinutes: dayMinutes / 4, keepMinutes: dayMinutes },
  week: { name: 'batch_delivery', slotMinutes: dayMinutes, keepMinutes: 7 * dayMinutes },
  forever: undefined,
} as const satisfies Record<DeliveryIdRetention, DeliveryIdTable | undefined>
const tables: readonly DeliveryIdTable[] = Object.values(tableOfRetention).filter((table) => table !== undefined)

/**
 * Two transactions with the same ID exclude each other by the primary key, which includes the slot. So for this long after the start of a
 * slot, an ID is recorded in the previous one as well, where a transaction that started earlier may still be recording it.
 */
const overlapMinutes = 5

/** How long 0.1.0, which records all IDs in `view_delivery`, keeps them there. */
const olderVersionKeepsDays = 7

/** Partitions for this many slots are created in advance. */
const slotsInAdvance = 4

/** Waits, at most for the lock timeout, for a transaction that is recording the same delivery, because that may still fail. */
export async function recordDeliveryIds(
  tx: PipelinedTransaction<Tables>,
  deliveries: readonly ViewDelivery[],
): Promise<AppendOutcome[]> {
  const hashes = deliveries.map(({ projectId, deliveryId }) => deliveryId && hashId(projectId, deliveryId.text))
  const hashesWith = (retention: DeliveryIdRetention) =>
    deliveries
      .flatMap(({ deliveryId }, index) => (deliveryId?.retention === retention ? (hashes[index] ?? []) : []))
      .sort((a, b) => a.compare(b)) // always in the same order, so that two transactions cannot deadlock
  const inserted = deliveryIdRetentions.map((retention) => {
    const ids = hashesWith(retention)
    const table = tableOfRetention[retention]
    if (ids.length === 0) return []
    return table ? insertInSlots(tx, table, ids) : insertForever(tx, ids)
  })
  const fresh = new Set((await Promise.all(inserted)).flat())
  // Each hash is removed when it is matched: the second of two equal deliveries in this transaction is a repetition.
  return hashes.map((hash) => (hash === undefined || fresh.delete(hash.toString('hex')) ? 'stored' : 'repeated'))
}

/**
 * Returns the new ones, in hexadecimal. While processes of 0.1.0 may run, IDs are also recorded in `view_delivery`, where they look them
 * up, and first, so that two processes of different versions exclude each other as well (0.1.0 has no log drains). `unknown` depends on
 * `shared`, so `view_delivery` is always written before the table of the slots. All transactions use this order, and cannot deadlock.
 */
async function insertInSlots(
  tx: PipelinedTransaction<Tables>,
  { name, slotMinutes, keepMinutes }: DeliveryIdTable,
  ids: readonly Buffer[],
): Promise<string[]> {
  const table = sql.table(name)
  const slotAt = (time: ReturnType<typeof sql>) =>
    sql`date_bin(make_interval(mins => ${slotMinutes}), ${time}, timestamptz 'epoch')`
  const rows = await tx.query(sql<{ id: string }>`
    WITH mixed AS MATERIALIZED (SELECT ${olderVersionMayRun} AND ${name !== 'log_line_delivery'}::boolean AS versions),
    reported AS (SELECT DISTINCT id, encode(id, 'hex')::uuid AS delivery FROM unnest(${ids}::bytea[]) AS id),
    shared AS (
      INSERT INTO view_delivery (delivery, expires_on)
      SELECT id, (now() AT TIME ZONE 'UTC')::date + ${olderVersionKeepsDays}::int FROM reported
      WHERE (SELECT versions FROM mixed) ORDER BY id
      ON CONFLICT DO NOTHING RETURNING delivery
    ),
    slots AS (
      SELECT ${slotAt(sql`now()`)} AS slot UNION SELECT ${slotAt(sql`now() - make_interval(mins => ${overlapMinutes})`)}
    ),
    unknown AS (
      SELECT delivery FROM reported
      WHERE (NOT (SELECT versions FROM mixed) OR id IN (SELECT shared.delivery FROM shared))
        AND NOT EXISTS (
          SELECT FROM ${table} AS known WHERE known.delivery = reported.delivery
            AND known.slot > now() - make_interval(mins => ${slotMinutes + keepMinutes}))
        AND NOT EXISTS (
          SELECT FROM view_delivery WHERE ${name === 'batch_delivery'}
            AND view_delivery.delivery = decode(replace(reported.delivery::text, '-', ''), 'hex'))
    ),
    inserted AS (
      INSERT INTO ${table} (slot, delivery)
      SELECT slot, delivery FROM slots CROSS JOIN unknown ORDER BY slot, delivery
      ON CONFLICT DO NOTHING RETURNING delivery
    )
    SELECT replace(delivery::text, '-', '') AS id FROM inserted
    GROUP BY delivery HAVING count(*) = (SELECT count(*) FROM slots)`)
  return rows.map(({ id }) => id)
}

async function insertForever(tx: PipelinedTransaction<Tables>, ids: readonly Buffer[]): Promise<string[]> {
  const rows = await tx.query(sql<{ id: string }>`
    INSERT INTO view_delivery (delivery, expires_on) SELECT id, 'infinity' FROM unnest(${ids}::bytea[]) AS id
    ON CONFLICT DO NOTHING RETURNING encode(delivery, 'hex') AS id`)
  return rows.map(({ id }) => id)
}

const hashId = (projectId: Id<'prj'>, deliveryId: string): Buffer =>
  createHash('sha256').update(`${projectId}\n${deliveryId}`).digest().subarray(0, 16)

/** PostgreSQL found no partition for an ID: no worker has created partitions for a long time. */
export const isPartitionMissing = (error: unknown): boolean => {
  const { code, message } = error as { code?: string; message?: string }
  return code === '23514' && (message ?? '').startsWith('no partition of relation')
}

/**
 * Creates the partitions of the next hours and days. Here and below, functions of the database change the tables, because the roles of
 * `api` and `worker` do not own them. Both lock the whole table for a moment. If a transaction holds it for longer, they fail, and
 * succeed the next time.
 */
export async function addMissingPartitions(db: Database): Promise<void> {
  for (const table of tables)
    for (const { from, to } of await findMissing(db, table))
      await changeTable(db, sql`SELECT add_delivery_partition(${table.name}, ${from}, ${to})`)
}

/** Returns how many. */
export async function dropExpiredPartitions(db: Database): Promise<number> {
  let dropped = 0
  for (const table of tables)
    for (const name of await listExpired(db, table)) {
      await changeTable(db, sql`SELECT drop_delivery_partition(${name})`)
      dropped += 1
    }
  return dropped
}

interface Slot {
  from: string
  to: string
}

/** The slots from the previous one on that have no partition. The name of a partition is the start of its slot. */
async function findMissing(db: Database, { name, slotMinutes }: DeliveryIdTable): Promise<Slot[]> {
  const { rows } = await sql<Slot>`
    SELECT slot::text AS from, (slot + make_interval(mins => ${slotMinutes}))::text AS to
    FROM generate_series(-1, ${slotsInAdvance}) AS ahead,
      LATERAL (SELECT date_bin(make_interval(mins => ${slotMinutes}), now(), timestamptz 'epoch')
        + ahead * make_interval(mins => ${slotMinutes}) AS slot) AS slots
    WHERE to_regclass(${name} || to_char(slot AT TIME ZONE 'UTC', '_YYYYMMDD_HH24MI')) IS NULL`.execute(db)
  return rows
}

/**
 * Materialized: otherwise PostgreSQL may filter all tables by the time in their names before it joins them, and fails at the first name
 * that has none (seen when the statistics of the catalog changed). Then no partition was ever dropped.
 */
async function listExpired(db: Database, { name, slotMinutes, keepMinutes }: DeliveryIdTable): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    WITH partitions AS MATERIALIZED (
      SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = ${name}::regclass
    )
    SELECT name FROM partitions
    WHERE to_timestamp(right(name, 13), 'YYYYMMDD_HH24MI')::timestamp AT TIME ZONE 'UTC'
      < now() - make_interval(mins => ${slotMinutes + keepMinutes})`.execute(db)
  return rows.map((row) => row.name)
}

async function changeTable(db: Database, change: ReturnType<typeof sql>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`SET LOCAL lock_timeout = '500ms'`.execute(tx)
    await change.execute(tx)
  })
}

const sizeOfTables = (names: readonly DeliveryIdTable['name'][]) => sql<string>`(
  SELECT coalesce(sum(pg_total_relation_size(inhrelid)), 0) FROM pg_inherits
  WHERE inhparent = ANY(${names}::text[]::regclass[]))`

/** On disk, with indexes. Part of the limit of the buffer, because anyone can send beacons. */
export const sizeOfDeliveryIds = sizeOfTables(tables.map(({ name }) => name))
/** The part of it that belongs to log drains. */
export const sizeOfLogLineIds = sizeOfTables([tableOfRetention.day.name])
