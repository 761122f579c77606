/**
 * The IDs of deliveries, by which a repeated delivery is recognized. They are in partitions by the time of arrival, which are dropped
 * when they have expired.
 */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, DatabaseTransaction } from '../../database/database.ts'
import type { Id } from '../../platform/ids.ts'
import type { ViewDelivery } from './view-delivery.ts'

export type AppendOutcome = 'stored' | 'repeated'

interface DeliveryIdTable {
  name: 'beacon_delivery' | 'batch_delivery'
  slotMinutes: number
  /** How long a partition is kept after its end. */
  keepMinutes: number
}

const dayMinutes = 24 * 60
const tables: readonly DeliveryIdTable[] = [
  { name: 'beacon_delivery', slotMinutes: 30, keepMinutes: 30 },
  { name: 'batch_delivery', slotMinutes: dayMinutes, keepMinutes: 7 * dayMinutes },
]
const tableOfRetention = { half_hour: tables[0], week: tables[1], forever: undefined } as const

/**
 * Two transactions with the same ID exclude each other by the primary key, which includes the slot. So for this long after the start of a
 * slot, an ID is recorded in the previous one as well, where a transaction that started earlier may still be recording it.
 */
const overlapMinutes = 5

/** Partitions for this many slots are created in advance. */
const slotsInAdvance = 4

/** Waits, at most for the lock timeout, for a transaction that is recording the same delivery, because that may still fail. */
export async function recordDeliveryIds(
  tx: DatabaseTransaction,
  deliveries: readonly ViewDelivery[],
): Promise<AppendOutcome[]> {
  const hashes = deliveries.map(({ projectId, deliveryId }) => deliveryId && hashId(projectId, deliveryId.text))
  const hashesWith = (retention: keyof typeof tableOfRetention) =>
    deliveries
      .flatMap(({ deliveryId }, index) => (deliveryId?.retention === retention ? (hashes[index] ?? []) : []))
      .sort((a, b) => a.compare(b)) // always in the same order, so that two transactions cannot deadlock
  const fresh = new Set<string>()
  for (const retention of ['half_hour', 'week', 'forever'] as const) {
    const ids = hashesWith(retention)
    const table = tableOfRetention[retention]
    if (ids.length === 0) continue
    for (const id of await (table ? insertInSlots(tx, table, ids) : insertForever(tx, ids))) fresh.add(id)
  }
  // Each hash is removed when it is matched: the second of two equal deliveries in this transaction is a repetition.
  return hashes.map((hash) => (hash === undefined || fresh.delete(hash.toString('hex')) ? 'stored' : 'repeated'))
}

/** Returns the new ones, in hexadecimal. */
async function insertInSlots(
  tx: DatabaseTransaction,
  { name, slotMinutes, keepMinutes }: DeliveryIdTable,
  ids: readonly Buffer[],
): Promise<string[]> {
  const table = sql.table(name)
  const slotAt = (time: ReturnType<typeof sql>) =>
    sql`date_bin(make_interval(mins => ${slotMinutes}), ${time}, timestamptz 'epoch')`
  const { rows } = await sql<{ id: string }>`
    WITH reported AS (SELECT DISTINCT encode(id, 'hex')::uuid AS delivery FROM unnest(${ids}::bytea[]) AS id),
    slots AS (
      SELECT ${slotAt(sql`now()`)} AS slot UNION SELECT ${slotAt(sql`now() - make_interval(mins => ${overlapMinutes})`)}
    ),
    unknown AS (
      SELECT delivery FROM reported
      WHERE NOT EXISTS (
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
    GROUP BY delivery HAVING count(*) = (SELECT count(*) FROM slots)`.execute(tx)
  return rows.map(({ id }) => id)
}

async function insertForever(tx: DatabaseTransaction, ids: readonly Buffer[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    INSERT INTO view_delivery (delivery, expires_on) SELECT id, 'infinity' FROM unnest(${ids}::bytea[]) AS id
    ON CONFLICT DO NOTHING RETURNING encode(delivery, 'hex') AS id`.execute(tx)
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

/** On disk, with indexes. Part of the limit of the buffer, because anyone can send beacons. */
export const sizeOfDeliveryIds = sql<string>`(
  SELECT coalesce(sum(pg_total_relation_size(inhrelid)), 0) FROM pg_inherits
  WHERE inhparent IN ('beacon_delivery'::regclass, 'batch_delivery'::regclass))`
