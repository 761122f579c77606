/** Several deliveries, of any projects, in one transaction: all of them are committed or none is. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Id } from '../../platform/ids.ts'
import type { CountingSource } from '../classify/classify.ts'
import type { AnalyticsTables, Day } from '../tables.ts'
import { foldInventedPages } from './script-pages.ts'
import { encodeView } from './view.ts'
import type { ViewDelivery } from './view-delivery.ts'

export type TakenOrRepeated = 'taken' | 'repeated'

const largestBatchBytes = 4 * 1024 * 1024
const rememberedDays = 7
const dayMs = 24 * 3600 * 1000

export async function appendTogether(
  db: Kysely<AnalyticsTables>,
  deliveries: readonly ViewDelivery[],
): Promise<{ outcomes: TakenOrRepeated[]; writtenBytes: number }> {
  return db.transaction().execute(async (tx) => {
    const outcomes = await takeNew(tx, deliveries)
    const taken = deliveries.filter((_, index) => outcomes[index] === 'taken')
    await recordSourceCoverage(tx, taken)
    const writtenBytes = await insertBatches(tx, await foldInventedPages(tx, taken))
    return { outcomes, writtenBytes }
  })
}

/** A delivery that another transaction is just taking is waited for: it may yet fail. */
async function takeNew(
  tx: Transaction<AnalyticsTables>,
  deliveries: readonly ViewDelivery[],
): Promise<TakenOrRepeated[]> {
  const keys = deliveries.map(({ projectId, deliveryId }) => deliveryId && keyOf(projectId, deliveryId.text))
  const forgetOn = dayOf(Date.now() + rememberedDays * dayMs)
  const rows = deliveries
    .flatMap(({ deliveryId }, index) => {
      const delivery = keys[index]
      if (!deliveryId || !delivery) return []
      return [{ delivery, expires_on: deliveryId.keep === 'for ever' ? ('infinity' as const) : forgetOn }]
    })
    .sort((a, b) => a.delivery.compare(b.delivery)) // all in one order, or two transactions would wait for each other
  if (rows.length === 0) return deliveries.map(() => 'taken')

  const { rows: inserted } = await sql<{ delivery: Buffer }>`
    INSERT INTO view_delivery (delivery, expires_on)
    SELECT * FROM unnest(${rows.map(({ delivery }) => delivery)}::bytea[], ${rows.map((row) => row.expires_on)}::date[])
    ON CONFLICT DO NOTHING RETURNING delivery`.execute(tx)
  const fresh = new Set(inserted.map(({ delivery }) => delivery.toString('hex')))
  // Taken out as it is met: of two equal ones in this very transaction the second is a repetition.
  return keys.map((key) => (key === undefined || fresh.delete(key.toString('hex')) ? 'taken' : 'repeated'))
}

const keyOf = (projectId: Id<'prj'>, deliveryId: string): Buffer =>
  createHash('sha256').update(`${projectId}\n${deliveryId}`).digest().subarray(0, 16)

interface ToldDays {
  projectId: Id<'prj'>
  source: CountingSource
  month: Day
  firstMs: number
  lastMs: number
  countsHumans: boolean
}

/**
 * Written only where it says something new, once a day and source, so that senders do not wait for one another's row; and
 * in one order, or two transactions would wait for each other.
 */
async function recordSourceCoverage(
  tx: Transaction<AnalyticsTables>,
  deliveries: readonly ViewDelivery[],
): Promise<void> {
  const rows = toldDays(deliveries)
  if (rows.length === 0) return
  await sql`
    INSERT INTO source_coverage (project_id, source, month, first_day, last_day, counts_humans)
    SELECT seen.* FROM unnest(
      ${rows.map(({ projectId }) => projectId)}::text[], ${rows.map(({ source }) => source)}::text[],
      ${rows.map(({ month }) => month)}::date[], ${rows.map(({ firstMs }) => dayOf(firstMs))}::date[],
      ${rows.map(({ lastMs }) => dayOf(lastMs))}::date[], ${rows.map(({ countsHumans }) => countsHumans)}::boolean[]
    ) AS seen (project_id, source, month, first_day, last_day, counts_humans)
    JOIN project ON project.id = seen.project_id
    WHERE NOT EXISTS (
      SELECT FROM source_coverage known
      WHERE known.project_id = seen.project_id AND known.source = seen.source AND known.month = seen.month
        AND known.first_day <= seen.first_day AND known.last_day >= seen.last_day
        AND known.counts_humans >= seen.counts_humans)
    ORDER BY seen.project_id, seen.source, seen.month
    ON CONFLICT (project_id, source, month) DO UPDATE SET
      first_day = least(source_coverage.first_day, excluded.first_day),
      last_day = greatest(source_coverage.last_day, excluded.last_day),
      counts_humans = source_coverage.counts_humans OR excluded.counts_humans`.execute(tx)
}

function toldDays(deliveries: readonly ViewDelivery[]): ToldDays[] {
  const now = new Date()
  const told = new Map<string, ToldDays>()
  for (const { projectId, source, countsHumans, views } of deliveries) {
    for (const at of views.length > 0 ? views.map((view) => view.at) : [now]) {
      const month = monthOf(at)
      const ms = at.getTime()
      const key = `${projectId} ${source} ${month}`
      const known = told.get(key)
      if (!known) told.set(key, { projectId, source, month, firstMs: ms, lastMs: ms, countsHumans })
      else {
        known.firstMs = Math.min(known.firstMs, ms)
        known.lastMs = Math.max(known.lastMs, ms)
        known.countsHumans ||= countsHumans
      }
    }
  }
  return [...told.values()]
}

/** A batch is of one shard and one month, as a block of ClickHouse is. */
async function insertBatches(tx: Transaction<AnalyticsTables>, deliveries: readonly ViewDelivery[]): Promise<number> {
  const batches = new Map<string, { shard: number; month: Day; lines: string[]; sizeBytes: number }[]>()
  for (const { shard, views } of deliveries) {
    for (const view of views) {
      const month = monthOf(view.at)
      const ofMonth = batches.get(`${shard} ${month}`) ?? []
      const line = encodeView(view)
      let batch = ofMonth.at(-1)
      if (!batch || batch.sizeBytes + line.length > largestBatchBytes) {
        batch = { shard, month, lines: [], sizeBytes: 0 }
        ofMonth.push(batch)
        batches.set(`${shard} ${month}`, ofMonth)
      }
      batch.lines.push(line)
      batch.sizeBytes += line.length
    }
  }
  const rows = await Promise.all(
    [...batches.values()].flat().map(async ({ shard, month, lines }) => {
      const text = Buffer.from(lines.join(''))
      const body = await compress(text, { level: 1 }) // an eighth to a fourteenth of the size; higher levels gain a tenth
      return { shard, month, rows: lines.length, size_bytes: text.length, body }
    }),
  )
  if (rows.length > 0) await tx.insertInto('view_batch').values(rows).execute()
  return rows.reduce((sum, { body }) => sum + body.length, 0)
}

const compress = promisify(gzip)

const monthOf = (at: Date) => `${at.toISOString().slice(0, 7)}-01` as Day
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10) as Day
