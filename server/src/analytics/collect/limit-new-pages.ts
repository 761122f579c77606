/**
 * Site keys are public, so anyone can report pages that do not exist. After a number of new pages per day, all further ones
 * count as one page, so that an attacker cannot make the tables grow.
 */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Tables } from '../../database/database.ts'
import type { Id } from '../../platform/ids.ts'
import type { PipelinedTransaction } from '../../platform/pipelined-transaction.ts'
import type { ViewDelivery } from './view-delivery.ts'

const maxNewPagesPerDay = 2_000
/** Cannot be the path of a page: those begin with a slash. */
export const otherPagesPath = '(other)'

interface ReportedPage {
  projectId: Id<'prj'>
  path: string
  hash: Buffer
}

/** Returns the deliveries with the paths beyond the limit replaced. */
export async function limitNewPages(
  tx: PipelinedTransaction<Tables>,
  deliveries: readonly ViewDelivery[],
): Promise<readonly ViewDelivery[]> {
  const reported = collectReportedPages(deliveries)
  if (reported.size === 0) return deliveries
  const pages = [...reported.values()]
  const [, excess] = await Promise.all([lockProjectsWithNewPages(tx, pages), recordNewPages(tx, pages)])
  if (excess.length === 0) return deliveries
  const folded = new Set(excess.map(({ projectId, path }) => pageKey(projectId, path)))
  return deliveries.map((delivery) => {
    if (delivery.source !== 'script') return delivery
    const views = delivery.views.map((view) =>
      folded.has(pageKey(delivery.projectId, view.path)) ? { ...view, path: otherPagesPath } : view,
    )
    return { ...delivery, views }
  })
}

function collectReportedPages(deliveries: readonly ViewDelivery[]): Map<string, ReportedPage> {
  const reported = new Map<string, ReportedPage>()
  for (const { projectId, source, views } of deliveries) {
    if (source !== 'script') continue
    for (const { path } of views) {
      const key = pageKey(projectId, path)
      if (!reported.has(key)) reported.set(key, { projectId, path, hash: hashPath(path) })
    }
  }
  return reported
}

const pageKey = (projectId: Id<'prj'>, path: string) => `${projectId} ${path}`
const hashPath = (path: string): Buffer => createHash('sha256').update(path).digest().subarray(0, 16)

const asRows = (pages: readonly ReportedPage[]) =>
  sql`unnest(${pages.map(({ projectId }) => projectId)}::text[], ${pages.map(({ hash }) => hash)}::bytea[])
    WITH ORDINALITY AS reported (project_id, page, ordinal)`
const isUnknown = sql`NOT EXISTS (
  SELECT FROM script_page AS known WHERE known.project_id = reported.project_id AND known.page = reported.page)`

/**
 * Only one transaction at a time adds pages to a project, so that the count is exact. In a fixed order, so that transactions that share
 * projects cannot deadlock.
 */
async function lockProjectsWithNewPages(
  tx: PipelinedTransaction<Tables>,
  pages: readonly ReportedPage[],
): Promise<void> {
  await tx.query(sql`
    WITH projects AS MATERIALIZED (
      SELECT DISTINCT hashtext(project_id) AS hash FROM ${asRows(pages)} WHERE ${isUnknown} ORDER BY hash
    )
    SELECT pg_advisory_xact_lock(hashtext('script_page'), hash) FROM projects`)
}

/**
 * Returns the pages beyond the limit. One statement for all projects, however many they are: senders wait for each round trip. It is not
 * part of the statement that takes the locks, because it must see what was committed before they were taken.
 */
async function recordNewPages(
  tx: PipelinedTransaction<Tables>,
  pages: readonly ReportedPage[],
): Promise<ReportedPage[]> {
  const rows = await tx.query(sql<{ ordinal: number }>`
    WITH today AS (SELECT (now() AT TIME ZONE 'UTC')::date AS day),
    unknown AS MATERIALIZED (
      SELECT project_id, page, ordinal, row_number() OVER (PARTITION BY project_id ORDER BY ordinal) AS position
      FROM ${asRows(pages)} WHERE ${isUnknown}
    ),
    recorded AS MATERIALIZED (
      SELECT project_id, count(*) AS pages FROM script_page
      WHERE project_id IN (SELECT project_id FROM unknown) AND first_seen_on = (SELECT day FROM today)
      GROUP BY project_id
    ),
    numbered AS MATERIALIZED (
      SELECT project_id, page, ordinal, position + coalesce(recorded.pages, 0) AS number
      FROM unknown LEFT JOIN recorded USING (project_id)
    ),
    inserted AS (
      INSERT INTO script_page (project_id, page, first_seen_on)
      SELECT numbered.project_id, page, day FROM numbered JOIN project ON project.id = numbered.project_id, today
      WHERE number <= ${maxNewPagesPerDay}
    )
    SELECT ordinal::int AS ordinal FROM numbered WHERE number > ${maxNewPagesPerDay}`)
  return rows.flatMap(({ ordinal }) => pages[ordinal - 1] ?? [])
}
