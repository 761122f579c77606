/** A year of views of one project, among a thousand others, generated inside ClickHouse: over HTTP it would take hours. */
import type { ClickHouseClient } from '@clickhouse/client'

export const pageCount = 5_000
export const otherProjectCount = 1_000
const viewsOfOthers = 1_000 * otherProjectCount

export interface InsertedTimeRange {
  fromMs: number
  toMs: number
}

/** Twelve full months to which nothing else is added. */
export const insertedYear: InsertedTimeRange = { fromMs: Date.UTC(2025, 9), toMs: Date.UTC(2026, 9) }

/** The span must start with a month. */
function splitByMonth({ fromMs, toMs }: InsertedTimeRange): InsertedTimeRange[] {
  const months: InsertedTimeRange[] = []
  for (let at = new Date(fromMs); at.getTime() < toMs; ) {
    const next = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1))
    months.push({ fromMs: at.getTime(), toMs: Math.min(next.getTime(), toMs) })
    at = next
  }
  return months
}

interface ViewOwner {
  /** An SQL expression of `number`. */
  projectId: string
  views: number
}

/** The loader's maximum. */
const blockRows = 500_000

/** Inserts block by block, each within one month. */
export async function insertViews(
  clickhouse: ClickHouseClient,
  projectId: string,
  views: number,
  span: InsertedTimeRange = insertedYear,
): Promise<void> {
  const owners: ViewOwner[] = [
    { projectId: `'${projectId}'`, views },
    // Some sort before it in the tables, some after it.
    {
      projectId: `concat('prj_', toString(number % 8), leftPad(toString(number % ${otherProjectCount}), 25, '0'))`,
      views: viewsOfOthers,
    },
  ]
  for (const { fromMs, toMs } of splitByMonth(span)) {
    for (const owner of owners) {
      const end = firstViewIndex(owner, span, toMs)
      for (let from = firstViewIndex(owner, span, fromMs); from < end; from += blockRows) {
        await clickhouse.command({
          query: insertQuery(owner, span, from, Math.min(from + blockRows, end)),
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
}

/** Views are evenly distributed over the span: the index of the first one at or after `ms`. */
const firstViewIndex = ({ views }: ViewOwner, { fromMs, toMs }: InsertedTimeRange, ms: number) =>
  Math.ceil(((ms - fromMs) * views) / (toMs - fromMs))

/**
 * Some pages are viewed more often than others, but with ten million views every page has views every day: the largest that
 * aggregate tables can get. Three in five views are human.
 */
const insertQuery = (
  { projectId, views }: ViewOwner,
  { fromMs, toMs }: InsertedTimeRange,
  from: number,
  to: number,
) => `
  INSERT INTO page_view (
    project_id, at, path, class, client, user_agent, surface, accepts_markdown, rule_version, source,
    import_id, views, block_id
  )
  WITH
    cityHash64(number, ${views}) AS random,
    toUInt32(${pageCount} * pow((random % 4294967296) / 4294967296, 1.5)) AS page,
    intDiv(random, 4294967296) % 20 AS client_number
  SELECT
    ${projectId},
    fromUnixTimestamp64Milli(${fromMs} + intDiv(number * ${toMs - fromMs}, ${views}), 'UTC'),
    concat('/docs/guide-', toString(page % 50), '/page-', toString(page)),
    transform(
      client_number, [12, 13, 14, 15, 16, 17, 18, 19],
      ['assistant', 'assistant', 'ai-search', 'ai-training', 'ai-training', 'search', 'search', 'other-bot'], 'human'
    ),
    transform(
      client_number, [12, 13, 14, 15, 16, 17, 18, 19],
      ['Claude-User', 'ChatGPT-User', 'OAI-SearchBot', 'GPTBot', 'ClaudeBot', 'Googlebot', 'bingbot', 'curl'], 'browser'
    ),
    concat('Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/', toString(100 + random % 60), '.0.0.0'),
    'html', false, 'generated', 'servers', '', 1, ${from}
  FROM numbers(${from}, ${to - from})`
