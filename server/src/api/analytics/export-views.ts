import { PassThrough, type Readable } from 'node:stream'
import Type from 'typebox'
import type { TimeRange } from '../../analytics/query/time-range.ts'
import type { ViewReportReader } from '../../analytics/query/view-report-reader.ts'
import { createResponse } from '../../platform/http/route.ts'
import { defineRoute, type Route } from '../route.ts'
import { ProjectParams, StreamedBody } from '../schemas.ts'
import { dateRangeQueryFields, parseDateRange } from './date-range.ts'
import { aiScopeQueryFields } from './view-schemas.ts'

export function exportViewsRoute({ viewReports }: { viewReports: ViewReportReader }): Route {
  return defineRoute({
    method: 'GET',
    url: '/v1/analytics/:projectId/views.csv',
    access: 'analytics:read',
    name: 'exportViews',
    tag: 'Page views',
    summary: 'Export page views as CSV',
    description:
      'Returns all pages of the range, in the order of the list, with a header row. Cells that a spreadsheet would read as a ' +
      'formula are prefixed with an apostrophe. If the connection is aborted, the export is incomplete.',
    schemas: {
      params: ProjectParams,
      query: Type.Object({ ...dateRangeQueryFields, ...aiScopeQueryFields }, { additionalProperties: false }),
      responses: { 200: StreamedBody('text/csv', 'CSV in UTF-8 with the columns `path,human,ai,total`.') },
    },
    responseHeaders: { 200: ['Content-Disposition'] },
    async handle({ projectId, query: { aiScope, ...dates } }) {
      const range = parseDateRange(dates)
      const lines = await viewReports.streamPages(projectId, { range, aiScope })
      return createResponse(200, addHeaderLine(lines), {
        'content-type': 'text/csv; charset=utf-8; header=present',
        'content-disposition': `attachment; filename="${fileName(range)}"`,
        'cache-control': 'no-store',
      })
    },
  })
}

function fileName({ from, to }: TimeRange): string {
  const day = (at: Date) => at.toISOString().replace(/T.*/, '')
  return ['page-views', from && `from-${day(from)}`, to && `to-${day(to)}`].filter(Boolean).join('-').concat('.csv')
}

/** A client that disconnects stops the query. A query that fails breaks off the response. */
function addHeaderLine(lines: Readable): Readable {
  const csv = new PassThrough()
  csv.push('path,human,ai,total\r\n')
  lines.on('error', (error) => csv.destroy(error))
  csv.on('close', () => lines.destroy())
  return lines.pipe(csv)
}
