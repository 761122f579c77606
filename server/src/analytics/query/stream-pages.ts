/** All pages of a range, in the order of the list, as ClickHouse gives them: nothing waits in memory for a slow reader. */
import { Transform } from 'node:stream'
import type { Row } from '@clickhouse/client'
import type { QueryClickhouse } from './clickhouse-reads.ts'
import { type PageViews, sumsByPage, type ViewsQuery } from './list-views.ts'
import { readSettings } from './read-settings.ts'

const readerMayTakeSeconds = 300

/** Of arrays of `PageViews`. */
export async function streamPages(
  clickhouse: QueryClickhouse,
  { projectId, range, ai }: Omit<ViewsQuery, 'pages' | 'limit' | 'offset'>,
): Promise<Transform> {
  const response = await clickhouse.query({
    query: `
      SELECT path, sum(human) AS human, sum(ai) AS ai, human + ai AS total FROM (${sumsByPage(range, ai)})
      GROUP BY path
      HAVING total > 0
      ORDER BY total DESC, path`,
    query_params: { project: projectId },
    clickhouse_settings: { ...readSettings, max_execution_time: readerMayTakeSeconds },
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
  // Not `pipeline`: it would tell of a reader that leaves as an error, to nobody.
  rows.on('error', (error) => pages.destroy(error))
  pages.on('close', () => rows.destroy())
  return rows.pipe(pages)
}
