/** Who read a project's pages: every kind of reader and every agent, those in neither number of a page too. */

import type { Id } from '../../platform/ids.ts'
import type { ClientClass } from '../classify/client-class.ts'
import type { QueryClickhouse } from './clickhouse-reads.ts'
import { asDay, asMoment, during } from './conditions.ts'
import { ofPages, pageParams } from './page-filter.ts'
import { readSettings } from './read-settings.ts'
import { spanOf, splitByDay, type TimeRange } from './time-range.ts'

export interface ClientViews {
  class: ClientClass
  /** A name of the list of readers, or `browser`, or `unknown`. */
  name: string
  views: number
}

/** Most views first. There are no more than the list of readers has names. */
export async function listClients(
  clickhouse: QueryClickhouse,
  { projectId, range, path }: { projectId: Id<'prj'>; range: TimeRange; path?: string | undefined },
): Promise<ClientViews[]> {
  // Readers are not summed by page: those of one are counted from the views themselves.
  const { whole, rest } = path === undefined ? splitByDay(spanOf(range)) : { whole: [], rest: [spanOf(range)] }
  const response = await clickhouse.query({
    query: `
      SELECT class, client AS name, sum(views) AS views
      FROM (
        SELECT class, client, views FROM views_by_client_and_day
        WHERE project_id = {project: String} AND (${during('day', whole, asDay)})
        UNION ALL
        SELECT class, client, sum(views) AS views FROM page_view
        WHERE project_id = {project: String} AND (${during('at', rest, asMoment)}) AND ${ofPages({ path })}
        GROUP BY class, client
      )
      GROUP BY class, client
      HAVING views > 0
      ORDER BY views DESC, class, name`,
    query_params: { project: projectId, ...pageParams({ path }) },
    clickhouse_settings: readSettings,
    format: 'JSONEachRow',
  })
  return response.json<ClientViews>()
}
