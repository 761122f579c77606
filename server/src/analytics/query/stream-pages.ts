/** Streams all pages of a range in the order of the list, as ClickHouse sends them, without buffering for a slow recipient. */
import { Transform } from 'node:stream'
import type { Row } from '@clickhouse/client'
import type { ClickhouseQueryClient } from './clickhouse-query-limit.ts'
import { buildSumsByPageSql, type PagesByViewsQuery, type PageViews } from './list-views.ts'
import { clickhouseQuerySettings } from './query-settings.ts'

const maxDownloadSeconds = 300

/** The stream consists of arrays of `PageViews`. */
export async function streamPagesByViews(
  clickhouse: ClickhouseQueryClient,
  { projectId, range, ai }: Omit<PagesByViewsQuery, 'pages' | 'limit' | 'offset'>,
): Promise<Transform> {
  const response = await clickhouse.query({
    query: `
      SELECT path, sum(human) AS human, sum(ai) AS ai, human + ai AS total FROM (${buildSumsByPageSql(range, ai)})
      GROUP BY path
      HAVING total > 0
      ORDER BY total DESC, path`,
    query_params: { project: projectId },
    clickhouse_settings: { ...clickhouseQuerySettings, max_execution_time: maxDownloadSeconds },
    format: 'JSONEachRow',
  })
  const rows = response.stream<PageViews>()
  const pages = new Transform({
    objectMode: true,
    transform: (chunk: Row<PageViews>[], _encoding, done) =>
      done(
        null,
        chunk.map((row) => row.json()),
      ),
  })
  // Not `pipeline`: it would report a recipient that disconnects as an error, which nothing handles.
  rows.on('error', (error) => pages.destroy(error))
  pages.on('close', () => rows.destroy())
  return rows.pipe(pages)
}
