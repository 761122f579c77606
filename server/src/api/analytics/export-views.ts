import { type Readable, Transform } from 'node:stream'
import Type from 'typebox'
import type { PageViews } from '../../analytics/query/list-views.ts'
import type { TimeRange } from '../../analytics/query/time-range.ts'
import type { ViewReports } from '../../analytics/query/view-reports.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams, StreamOf } from '../schemas.ts'
import { csvLine } from './csv.ts'
import { dateRangeQuery, readDateRange } from './date-range.ts'
import { aiQuery } from './views-schemas.ts'

export function exportViewsRoute({ viewReports }: { viewReports: ViewReports }): Route {
  return route({
    method: 'GET',
    url: '/v1/analytics/:projectId/views.csv',
    access: 'analytics:read',
    name: 'exportViews',
    tag: 'Page views',
    summary: 'Page views of every page, as CSV',
    description:
      'In the order of the list, with a header row. A cell that a spreadsheet would take for a formula begins with an ' +
      'apostrophe. An answer that breaks off is not complete.',
    schemas: {
      params: ProjectParams,
      query: Type.Object({ ...dateRangeQuery, ...aiQuery }, { additionalProperties: false }),
      responses: { 200: StreamOf('text/csv', '`path,human,ai,total`, in UTF-8.') },
    },
    async handle({ projectId, query: { aiScope, ...dates } }) {
      const range = readDateRange(dates)
      const pages = await viewReports.streamPages(projectId, { range, aiScope })
      return respond(200, asCsv(pages), {
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

/** Whoever leaves stops the query; a query that fails breaks the answer off. */
function asCsv(pages: Readable): Readable {
  const csv = new Transform({
    writableObjectMode: true,
    transform: (rows: PageViews[], _encoding, done) =>
      done(null, rows.map(({ path, human, ai, total }) => csvLine([path, human, ai, total])).join('')),
  })
  csv.push(csvLine(['path', 'human', 'ai', 'total']))
  pages.on('error', (error) => csv.destroy(error))
  csv.on('close', () => pages.destroy())
  return pages.pipe(csv)
}
