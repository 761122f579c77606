/** A year of views of one project, among a thousand others, made inside ClickHouse: over HTTP it would take hours. */
import type { ClickHouseClient } from '@clickhouse/client'

export const pageCount = 5_000
export const otherProjects = 1_000
const viewsOfOthers = 1_000 * otherProjects

export interface Span {
  fromMs: number
  toMs: number
}

/** Twelve whole months, long enough ago that nothing else is added to them. */
export const year: Span = { fromMs: Date.UTC(2025, 9), toMs: Date.UTC(2026, 9) }

/** Of a span that begins with one. */
function monthsOf({ fromMs, toMs }: Span): Span[] {
  const months: Span[] = []
  for (let at = new Date(fromMs); at.getTime() < toMs; ) {
    const next = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1))
    months.push({ fromMs: at.getTime(), toMs: Math.min(next.getTime(), toMs) })
    at = next
  }
  return months
}

interface Owner {
  /** SQL, of `number`. */
  projectId: string
  views: number
}

/** The loader's largest. */
const blockRows = 500_000

/** Block after block, each of one month. */
export async function makeViews(
  clickhouse: ClickHouseClient,
  projectId: string,
  views: number,
  span: Span = year,
): Promise<void> {
  const owners: Owner[] = [
    { projectId: `'${projectId}'`, views },
    // Some of them before it in the order of the tables, some behind it.
    {
      projectId: `concat('prj_', toString(number % 8), leftPad(toString(number % ${otherProjects}), 25, '0'))`,
      views: viewsOfOthers,
    },
  ]
  for (const { fromMs, toMs } of monthsOf(span)) {
    for (const owner of owners) {
      const end = firstView(owner, span, toMs)
      for (let from = firstView(owner, span, fromMs); from < end; from += blockRows) {
        await clickhouse.command({
          query: insertOf(owner, span, from, Math.min(from + blockRows, end)),
          clickhouse_settings: {
            max_insert_block_size: `${blockRows}`,
            min_insert_block_size_rows: `${blockRows}`,
            min_insert_block_size_bytes: '0',
            insert_deduplicate: 0, // it is for blocks that are sent again
          },
        })
      }
    }
  }
}

/** Views come evenly over the span: the first that is not before this moment. */
const firstView = ({ views }: Owner, { fromMs, toMs }: Span, ms: number) =>
  Math.ceil(((ms - fromMs) * views) / (toMs - fromMs))

/**
 * Some pages are read more than others, but with ten million views none goes a day without: the most that tables of sums can
 * have to hold. Three in five readers are people.
 */
const insertOf = ({ projectId, views }: Owner, { fromMs, toMs }: Span, from: number, to: number) => `
  INSERT INTO page_view (
    project_id, at, path, class, client, user_agent, surface, accepts_markdown, rule_version, source,
    import_id, views, block_id
  )
  WITH
    cityHash64(number, ${views}) AS random,
    toUInt32(${pageCount} * pow((random % 4294967296) / 4294967296, 1.5)) AS page,
    intDiv(random, 4294967296) % 20 AS reader
  SELECT
    ${projectId},
    fromUnixTimestamp64Milli(${fromMs} + intDiv(number * ${toMs - fromMs}, ${views}), 'UTC'),
    concat('/docs/guide-', toString(page % 50), '/page-', toString(page)),
    transform(
      reader, [12, 13, 14, 15, 16, 17, 18, 19],
      ['assistant', 'assistant', 'ai-search', 'ai-training', 'ai-training', 'search', 'search', 'other-bot'], 'human'
    ),
    transform(
      reader, [12, 13, 14, 15, 16, 17, 18, 19],
      ['Claude-User', 'ChatGPT-User', 'OAI-SearchBot', 'GPTBot', 'ClaudeBot', 'Googlebot', 'bingbot', 'curl'], 'browser'
    ),
    concat('Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/', toString(100 + random % 60), '.0.0.0'),
    'html', false, 'made', 'servers', '', 1, ${from}
  FROM numbers(${from}, ${to - from})`
