/** Writes several deliveries, of any projects, in one transaction: all of them are committed, or none. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type Insertable, sql } from 'kysely'
import type { Tables } from '../../database/database.ts'
import type { Id } from '../../platform/ids.ts'
import {
  executePipelined,
  type PipelinedTransaction,
  type PipelineSource,
} from '../../platform/pipelined-transaction.ts'
import type { CountingSource } from '../classify/classify-request.ts'
import { type IsoDate, onlyShard, toIsoDate } from '../tables.ts'
import { type AppendOutcome, addMissingPartitions, isPartitionMissing, recordDeliveryIds } from './delivery-ids.ts'
import { limitNewPages } from './limit-new-pages.ts'
import { encodeView } from './view.ts'
import type { ViewDelivery } from './view-delivery.ts'

/** `no_project`: the project was deleted, and nothing is stored. */
type BufferedOutcome = AppendOutcome | 'no_project'

const maxBatchBytes = 4 * 1024 * 1024

interface AppendResult {
  outcomes: BufferedOutcome[]
  writtenBytes: number
}

export async function appendDeliveries(
  db: PipelineSource<Tables>,
  deliveries: readonly ViewDelivery[],
  options: { lockTimeoutMs: number },
): Promise<AppendResult> {
  try {
    return await append(db, deliveries, options)
  } catch (error) {
    if (!isPartitionMissing(error)) throw error
    await addMissingPartitions(db.database)
    return append(db, deliveries, options)
  }
}

/** Senders wait for this, so statements that do not depend on each other's results are sent together: four round trips in all. */
function append(
  db: PipelineSource<Tables>,
  deliveries: readonly ViewDelivery[],
  { lockTimeoutMs }: { lockTimeoutMs: number },
): Promise<AppendResult> {
  // The ID of the transaction, before it reads which projects were deleted: a deletion waits for all that may not have seen it.
  const begin = `SET LOCAL lock_timeout = ${lockTimeoutMs}; SELECT pg_current_xact_id()`
  return executePipelined(db, begin, async (tx) => {
    const [deletedProjects, recordedOutcomes] = await Promise.all([
      findDeletedProjects(tx, deliveries),
      recordDeliveryIds(tx, deliveries),
    ])
    const outcomes = deliveries.map(({ projectId }, index) =>
      deletedProjects.has(projectId) ? 'no_project' : (recordedOutcomes[index] ?? 'stored'),
    )
    const newDeliveries = deliveries.filter((_, index) => outcomes[index] === 'stored')
    const [, limitedDeliveries] = await Promise.all([
      recordSourceCoverage(tx, newDeliveries),
      limitNewPages(tx, newDeliveries),
    ])
    const batches = await compressBatches(limitedDeliveries)
    for (const batch of batches) void tx.query(tx.database.insertInto('view_batch').values(batch)) // the commit follows at once
    return { outcomes, writtenBytes: batches.reduce((sum, { body }) => sum + body.length, 0) }
  })
}

/** Views of a deleted project would stay in ClickHouse forever. */
async function findDeletedProjects(
  tx: PipelinedTransaction<Tables>,
  deliveries: readonly ViewDelivery[],
): Promise<ReadonlySet<Id<'prj'>>> {
  const rows = await tx.query(sql<{ id: Id<'prj'> }>`
    SELECT DISTINCT reported.id FROM unnest(${deliveries.map(({ projectId }) => projectId)}::text[]) AS reported (id)
    WHERE NOT EXISTS (SELECT FROM project WHERE project.id = reported.id AND deleted_at IS NULL)`)
  return new Set(rows.map(({ id }) => id))
}

interface ReportedDays {
  projectId: Id<'prj'>
  source: CountingSource
  month: IsoDate
  firstMs: number
  lastMs: number
  countsHumans: boolean
}

/**
 * Writes only what is new, which is once per day and source, so that senders do not wait for each other's row locks. Always
 * writes in the same order, so that two transactions cannot deadlock.
 */
async function recordSourceCoverage(
  tx: PipelinedTransaction<Tables>,
  deliveries: readonly ViewDelivery[],
): Promise<void> {
  const rows = collectReportedDays(deliveries)
  if (rows.length === 0) return
  await tx.query(sql`
    INSERT INTO source_coverage (project_id, source, month, first_day, last_day, counts_humans)
    SELECT reported.* FROM unnest(
      ${rows.map(({ projectId }) => projectId)}::text[], ${rows.map(({ source }) => source)}::text[],
      ${rows.map(({ month }) => month)}::date[], ${rows.map(({ firstMs }) => toIsoDate(firstMs))}::date[],
      ${rows.map(({ lastMs }) => toIsoDate(lastMs))}::date[], ${rows.map(({ countsHumans }) => countsHumans)}::boolean[]
    ) AS reported (project_id, source, month, first_day, last_day, counts_humans)
    JOIN project ON project.id = reported.project_id
    WHERE NOT EXISTS (
      SELECT FROM source_coverage known
      WHERE known.project_id = reported.project_id AND known.source = reported.source AND known.month = reported.month
        AND known.first_day <= reported.first_day AND known.last_day >= reported.last_day
        AND known.counts_humans >= reported.counts_humans)
    ORDER BY reported.project_id, reported.source, reported.month, reported.counts_humans
    ON CONFLICT (project_id, source, month, counts_humans) DO UPDATE SET
      first_day = least(source_coverage.first_day, excluded.first_day),
      last_day = greatest(source_coverage.last_day, excluded.last_day)`)
}

function collectReportedDays(deliveries: readonly ViewDelivery[]): ReportedDays[] {
  const now = new Date()
  const byMonth = new Map<string, ReportedDays>()
  for (const { projectId, source, countsHumans, views } of deliveries) {
    for (const at of views.length > 0 ? views.map((view) => view.at) : [now]) {
      const month = toMonth(at)
      const ms = at.getTime()
      const key = `${projectId} ${source} ${month} ${countsHumans}`
      const known = byMonth.get(key)
      if (!known) byMonth.set(key, { projectId, source, month, firstMs: ms, lastMs: ms, countsHumans })
      else {
        known.firstMs = Math.min(known.firstMs, ms)
        known.lastMs = Math.max(known.lastMs, ms)
      }
    }
  }
  return [...byMonth.values()]
}

/** A batch holds views of one month, as a block in ClickHouse does. */
function compressBatches(deliveries: readonly ViewDelivery[]): Promise<Insertable<Tables['view_batch']>[]> {
  const batches = new Map<string, { month: IsoDate; lines: string[]; sizeBytes: number }[]>()
  for (const { views } of deliveries) {
    for (const view of views) {
      const month = toMonth(view.at)
      const monthBatches = batches.get(month) ?? []
      const line = encodeView(view)
      let batch = monthBatches.at(-1)
      if (!batch || batch.sizeBytes + line.length > maxBatchBytes) {
        batch = { month, lines: [], sizeBytes: 0 }
        monthBatches.push(batch)
        batches.set(month, monthBatches)
      }
      batch.lines.push(line)
      batch.sizeBytes += line.length
    }
  }
  return Promise.all(
    [...batches.values()].flat().map(async ({ month, lines }) => {
      const text = Buffer.from(lines.join(''))
      const body = await compress(text, { level: 1 }) // 1/8 to 1/14 of the size; higher levels save a tenth more
      return { shard: onlyShard, month, rows: lines.length, size_bytes: text.length, body }
    }),
  )
}

const compress = promisify(gzip)

const toMonth = (at: Date) => `${at.toISOString().slice(0, 7)}-01` as IsoDate
