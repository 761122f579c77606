/**
 * Streams all pages of a range as CSV, in the order of the list, as ClickHouse sends them, without buffering for a slow recipient.
 * ClickHouse formats the lines: with a parser here, one download of a million pages slowed down every other request of this process.
 */
import { Transform } from 'node:stream'
import type { Row } from '@clickhouse/client'
import type { Id } from '../../platform/ids.ts'
import type { ClickhouseQueryClient } from './clickhouse-query-limit.ts'
import { buildSumsByPageSql, type PagesByViewsQuery } from './list-views.ts'
import { clickhouseQuerySettings } from './query-settings.ts'

const maxDownloadSeconds = 300

/**
 * A cell as in RFC 4180. One that a spreadsheet would read as a formula is prefixed with an apostrophe. Paths have no line breaks; if
 * one had, the client would take it for the end of the row, or for an error of ClickHouse.
 */
export const pathCellSql = String.raw`
  replaceRegexpAll(path, '[\\r\\n]+', ' ') AS single_line,
  if(match(single_line, '^[=+\\-@\\t]'), concat('\'', single_line), single_line) AS text,
  if(match(text, '[",]|^\\s|\\s$'), concat('"', replaceAll(text, '"', '""'), '"'), text) AS cell`

/** The stream is text, without a header line. */
export async function streamPagesByViews(
  clickhouse: ClickhouseQueryClient,
  { projectId, range, ai }: Omit<PagesByViewsQuery, 'pages' | 'limit' | 'offset'>,
): Promise<Transform> {
  const query = `
      WITH ${pathCellSql}
      SELECT concat(cell, ',', toString(human), ',', toString(ai), ',', toString(total)) FROM (
        SELECT path, sum(human) AS human, sum(ai) AS ai, human + ai AS total FROM (${buildSumsByPageSql(range, ai)})
        GROUP BY path
        HAVING total > 0
      )
      ORDER BY total DESC, path`
  return streamLines(clickhouse, query, projectId)
}

/** All that is stored, by day and page, with a number for each client class. */
export async function streamPagesByDay(clickhouse: ClickhouseQueryClient, projectId: Id<'prj'>): Promise<Transform> {
  const classes = ['human', 'assistant', 'ai_search', 'ai_training', 'search', 'other_bot']
  const query = `
      WITH ${pathCellSql}
      SELECT concat(toString(day), ',', cell, ${classes.map((name) => `',', toString(sum(${name}))`).join(', ')})
      FROM views_by_page_and_day WHERE project_id = {project: String}
      GROUP BY day, path ORDER BY day, path`
  return streamLines(clickhouse, query, projectId)
}

async function streamLines(clickhouse: ClickhouseQueryClient, query: string, projectId: Id<'prj'>): Promise<Transform> {
  const response = await clickhouse.query({
    query,
    query_params: { project: projectId },
    // One thread: a download can wait, and the queries of people who look at a page cannot.
    clickhouse_settings: { ...clickhouseQuerySettings, max_execution_time: maxDownloadSeconds, max_threads: 1 },
    format: 'TabSeparatedRaw',
  })
  const rows = response.stream()
  const lines = new Transform({
    writableObjectMode: true,
    transform: (chunk: Row[], _encoding, done) => done(null, chunk.map(({ text }) => `${text}\r\n`).join('')),
  })
  // Not `pipeline`: it would report a recipient that disconnects as an error, which nothing handles.
  rows.on('error', (error) => lines.destroy(error))
  lines.on('close', () => rows.destroy())
  return rows.pipe(lines)
}
