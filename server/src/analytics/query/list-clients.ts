/** Which clients viewed a project's pages: all classes and names, including those that count neither as human nor as AI. */

import type { Id } from '../../platform/ids.ts'
import type { ClientClass } from '../classify/client-class.ts'
import type { ClickhouseQueryClient } from './clickhouse-query-limit.ts'
import { buildPageCondition, buildPageFilterParams } from './page-filter.ts'
import { clickhouseQuerySettings } from './query-settings.ts'
import { buildSpansCondition, formatDateLiteral, formatDateTime64Literal } from './time-conditions.ts'
import { splitByDay, type TimeRange, toMillisecondSpan } from './time-range.ts'

export interface ClientViews {
  class: ClientClass
  /** A name from the client list, or `browser` or `unknown`. */
  name: string
  views: number
}

/** The most views first. There are at most as many as there are names in the client list. */
export async function listClientsByViews(
  clickhouse: ClickhouseQueryClient,
  { projectId, range, path }: { projectId: Id<'prj'>; range: TimeRange; path?: string | undefined },
): Promise<ClientViews[]> {
  // There are no sums by client and page: the clients of one page are counted from the views themselves.
  const { wholeUnits, remainder } =
    path === undefined
      ? splitByDay(toMillisecondSpan(range))
      : { wholeUnits: [], remainder: [toMillisecondSpan(range)] }
  const response = await clickhouse.query({
    query: `
      SELECT class, client AS name, sum(views) AS views
      FROM (
        SELECT class, client, views FROM views_by_client_and_day
        WHERE project_id = {project: String} AND (${buildSpansCondition('day', wholeUnits, formatDateLiteral)})
        UNION ALL
        SELECT class, client, sum(views) AS views FROM page_view
        WHERE project_id = {project: String} AND (${buildSpansCondition('at', remainder, formatDateTime64Literal)}) AND ${buildPageCondition({ path })}
        GROUP BY class, client
      )
      GROUP BY class, client
      HAVING views > 0
      ORDER BY views DESC, class, name`,
    query_params: { project: projectId, ...buildPageFilterParams({ path }) },
    clickhouse_settings: clickhouseQuerySettings,
    format: 'JSONEachRow',
  })
  return response.json<ClientViews>()
}
