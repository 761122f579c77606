/**
 * The script is public, and anybody can tell it of pages that do not exist. After so many new ones in a day all further ones
 * are one page, so that a stranger cannot make the tables grow.
 */
import { createHash } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import type { Id } from '../../platform/ids.ts'
import type { AnalyticsTables } from '../tables.ts'
import type { ViewDelivery } from './view-delivery.ts'

const maxNewPagesPerDay = 2_000
/** No page's path: those begin with a slash. */
export const otherPages = '(other)'

interface ToldPage {
  projectId: Id<'prj'>
  path: string
  key: Buffer
}

/** The same deliveries, with the paths that are too many replaced. */
export async function foldInventedPages(
  tx: Transaction<AnalyticsTables>,
  deliveries: readonly ViewDelivery[],
): Promise<readonly ViewDelivery[]> {
  const told = toldPages(deliveries)
  if (told.size === 0) return deliveries
  let unknown = await unknownOf(tx, [...told.values()])
  // In order, as each takes a lock: two transactions that share projects must not wait for each other.
  for (const projectId of [...new Set(unknown.map((page) => page.projectId))].sort()) {
    const tooMany = await takeNew(
      tx,
      projectId,
      unknown.filter((page) => page.projectId === projectId),
    )
    unknown = unknown.filter((page) => page.projectId !== projectId || tooMany.includes(page))
  }
  if (unknown.length === 0) return deliveries
  const folded = new Set(unknown.map(({ projectId, path }) => nameOf(projectId, path)))
  return deliveries.map((delivery) => {
    if (delivery.source !== 'script') return delivery
    const views = delivery.views.map((view) =>
      folded.has(nameOf(delivery.projectId, view.path)) ? { ...view, path: otherPages } : view,
    )
    return { ...delivery, views }
  })
}

function toldPages(deliveries: readonly ViewDelivery[]): Map<string, ToldPage> {
  const told = new Map<string, ToldPage>()
  for (const { projectId, source, views } of deliveries) {
    if (source !== 'script') continue
    for (const { path } of views) {
      const name = nameOf(projectId, path)
      if (!told.has(name)) told.set(name, { projectId, path, key: keyOf(path) })
    }
  }
  return told
}

const nameOf = (projectId: Id<'prj'>, path: string) => `${projectId} ${path}`
const keyOf = (path: string): Buffer => createHash('sha256').update(path).digest().subarray(0, 16)

async function unknownOf(tx: Transaction<AnalyticsTables>, pages: readonly ToldPage[]): Promise<ToldPage[]> {
  const { rows } = await sql<{ place: number }>`
    SELECT place::int AS place
    FROM unnest(${pages.map(({ projectId }) => projectId)}::text[], ${pages.map(({ key }) => key)}::bytea[])
      WITH ORDINALITY AS told (project_id, page, place)
    WHERE NOT EXISTS (
      SELECT FROM script_page known WHERE known.project_id = told.project_id AND known.page = told.page)`.execute(tx)
  return rows.flatMap(({ place }) => pages[place - 1] ?? [])
}

/** Returns those that are too many. One project's new pages are taken by one transaction at a time: the count is exact. */
async function takeNew(
  tx: Transaction<AnalyticsTables>,
  projectId: Id<'prj'>,
  pages: readonly ToldPage[],
): Promise<ToldPage[]> {
  await sql`SELECT pg_advisory_xact_lock(hashtext('script_page'), hashtext(${projectId}))`.execute(tx)
  const unknown = await unknownOf(tx, pages)
  const { rows } = await sql<{ pages: number }>`
    SELECT count(*)::int AS pages FROM script_page
    WHERE project_id = ${projectId} AND first_seen_on = (now() AT TIME ZONE 'UTC')::date`.execute(tx)
  const room = Math.max(0, maxNewPagesPerDay - (rows[0]?.pages ?? 0))
  await sql`
    INSERT INTO script_page (project_id, page, first_seen_on)
    SELECT project.id, page, (now() AT TIME ZONE 'UTC')::date
    FROM unnest(${unknown.slice(0, room).map(({ key }) => key)}::bytea[]) AS page
    JOIN project ON project.id = ${projectId}`.execute(tx)
  return unknown.slice(room)
}
