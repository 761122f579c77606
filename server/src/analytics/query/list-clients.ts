/** Which clients viewed a project's pages: all classes and names, including those that count neither as human nor as AI. */

import type { Id } from '../../platform/ids.ts'
import type { ClientClass } from '../classify/client-class.ts'
import type { QueryClickhouse } from './clickhouse-query-limit.ts'
import { pageCondition, pageFilterParams } from './page-filter.ts'
import { querySettings } from './query-settings.ts'
import { dayLiteral, momentLiteral, withinSpans } from './time-conditions.ts'
import { splitByDay, type TimeRange, toSpan } from './time-range.ts'

export interface ClientViews {
  class: ClientClass
  /** A name from the client list, or `browser` or `unknown`. */
  name: string
  views: number
}

/** The most views first. There are at most as many as there are names in the client list. */
export async function listClients(
  clickhouse: QueryClickhouse,
  { projectId, range, path }: { projectId: Id<'prj'>; range: TimeRange; path?: string | undefined },
): Promise<ClientViews[]> {
  // There are no sums by client and page: the clients of one page are counted from the views themselves.
  const { wholeUnits, remainder } =
    path === undefined ? splitByDay(toSpan(range)) : { wholeUnits: [], remainder: [toSpan(range)] }
  const response = await clickhouse.query({
    query: `
      SELECT class, client AS name, sum(views) AS views
      FROM (
        SELECT class, client, views FROM views_by_client_and_day
        WHERE project_id = {project: String} AND (${withinSpans('day', wholeUnits, dayLiteral)})
        UNION ALL
        SELECT class, client, sum(views) AS views FROM page_view
        WHERE project_id = {project: String} AND (${withinSpans('at', remainder, momentLiteral)}) AND ${pageCondition({ path })}
        GROUP BY class, client
      )
      GROUP BY class, client
      HAVING views > 0
      ORDER BY views DESC, class, name`,
    query_params: { project: projectId, ...pageFilterParams({ path }) },
    clickhouse_settings: querySettings,
    format: 'JSONEachRow',
  })
  return response.json<ClientViews>()
}
