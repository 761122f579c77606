/**
 * Site keys are public, so anyone can report pages that do not exist. After a number of new pages per day, all further ones
 * count as one page, so that an attacker cannot make the tables grow.
 */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/database.ts'
import type { Id } from '../../platform/ids.ts'
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
  tx: DatabaseTransaction,
  deliveries: readonly ViewDelivery[],
): Promise<readonly ViewDelivery[]> {
  const reported = collectReportedPages(deliveries)
  if (reported.size === 0) return deliveries
  let unknown = await findUnknown(tx, [...reported.values()])
  // In a fixed order, because each iteration takes a lock: transactions that share projects must not deadlock.
  for (const projectId of [...new Set(unknown.map((page) => page.projectId))].sort()) {
    const excess = await recordNewPages(
      tx,
      projectId,
      unknown.filter((page) => page.projectId === projectId),
    )
    unknown = unknown.filter((page) => page.projectId !== projectId || excess.includes(page))
  }
  if (unknown.length === 0) return deliveries
  const folded = new Set(unknown.map(({ projectId, path }) => pageKey(projectId, path)))
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

async function findUnknown(tx: DatabaseTransaction, pages: readonly ReportedPage[]): Promise<ReportedPage[]> {
  const { rows } = await sql<{ ordinal: number }>`
    SELECT ordinal::int AS ordinal
    FROM unnest(${pages.map(({ projectId }) => projectId)}::text[], ${pages.map(({ hash }) => hash)}::bytea[])
      WITH ORDINALITY AS reported (project_id, page, ordinal)
    WHERE NOT EXISTS (
      SELECT FROM script_page known WHERE known.project_id = reported.project_id AND known.page = reported.page)`.execute(
    tx,
  )
  return rows.flatMap(({ ordinal }) => pages[ordinal - 1] ?? [])
}

/** Returns the pages beyond the limit. Only one transaction at a time adds pages to a project, so the count is exact. */
async function recordNewPages(
  tx: DatabaseTransaction,
  projectId: Id<'prj'>,
  pages: readonly ReportedPage[],
): Promise<ReportedPage[]> {
  await sql`SELECT pg_advisory_xact_lock(hashtext('script_page'), hashtext(${projectId}))`.execute(tx)
  const unknown = await findUnknown(tx, pages)
  const { rows } = await sql<{ pages: number }>`
    SELECT count(*)::int AS pages FROM script_page
    WHERE project_id = ${projectId} AND first_seen_on = (now() AT TIME ZONE 'UTC')::date`.execute(tx)
  const remaining = Math.max(0, maxNewPagesPerDay - (rows[0]?.pages ?? 0))
  await sql`
    INSERT INTO script_page (project_id, page, first_seen_on)
    SELECT project.id, page, (now() AT TIME ZONE 'UTC')::date
    FROM unnest(${unknown.slice(0, remaining).map(({ hash }) => hash)}::bytea[]) AS page
    JOIN project ON project.id = ${projectId}`.execute(tx)
  return unknown.slice(remaining)
}
