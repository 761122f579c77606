/** Page views of so many pages that a query of all of them takes seconds, generated inside ClickHouse. */
import type { ClickHouseClient } from '@clickhouse/client'

/** The loader's maximum. */
const blockRows = 500_000
const months = 12

/** Almost every view is of a page of its own: queries cost pages times months. */
export async function insertSlowViews(clickhouse: ClickHouseClient, projectId: string, views: number): Promise<void> {
  const viewsPerMonth = Math.ceil(views / months)
  for (let month = 1; month <= months; month++) {
    for (let from = 0; from < viewsPerMonth; from += blockRows) {
      await clickhouse.command({
        query: insertQuery(month, from, Math.min(blockRows, viewsPerMonth - from)),
        query_params: { project: projectId },
        clickhouse_settings: {
          max_insert_block_size: `${blockRows}`,
          min_insert_block_size_rows: `${blockRows}`,
          min_insert_block_size_bytes: '0',
          insert_deduplicate: 0, // deduplication is for retried blocks
        },
      })
    }
  }
}

const insertQuery = (monthsAgo: number, from: number, count: number) => `
  INSERT INTO page_view (
    project_id, at, path, class, client, user_agent, surface, accepts_markdown, rule_version, source, import_id, views, block_id
  )
  WITH cityHash64(number, ${monthsAgo}) AS random
  SELECT
    {project: String},
    toDateTime64(subtractMonths(toStartOfMonth(now('UTC')), ${monthsAgo}), 3, 'UTC') + toIntervalSecond(random % (27 * 86400)),
    concat('/docs/guide-', toString(random % 50), '/page-', toString(intDiv(random, 64) % 1000000)),
    if(random % 3 = 0, 'assistant', 'human'), if(random % 3 = 0, 'ChatGPT-User', 'browser'),
    'Mozilla/5.0', 'html', false, 'generated', 'servers', '', 1, ${monthsAgo}
  FROM numbers(${from}, ${count})`

/** Merges would otherwise take the CPU of the first phases. */
export async function waitForMerges(clickhouse: ClickHouseClient, withinSeconds: number): Promise<void> {
  const untilMs = performance.now() + withinSeconds * 1000
  while (performance.now() < untilMs) {
    const response = await clickhouse.query({
      query: 'SELECT count() AS merges FROM system.merges',
      format: 'JSONEachRow',
    })
    const [row] = await response.json<{ merges: string }>()
    if (Number(row?.merges) === 0) return
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}
