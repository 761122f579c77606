import Type from 'typebox'
import type { ViewReportReader } from '../../analytics/query/view-report-reader.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { dateRangeQueryFields, parseDateRange } from './date-range.ts'
import { CoverageSchema } from './view-schemas.ts'

const Day = (description: string, example: string) => Type.String({ format: 'date', description, examples: [example] })

export function getCoverageRoute({ viewReports }: { viewReports: ViewReportReader }): Route {
  return defineRoute({
    method: 'GET',
    url: '/v1/analytics/:projectId/coverage',
    access: 'analytics:read',
    name: 'getCoverage',
    tag: 'Page views',
    summary: 'Get coverage',
    description:
      'Returns whether human and AI traffic was measured in the range, and by which sources. A count of 0 is meaningless where the coverage is `not_measured`.',
    schemas: {
      params: ProjectParams,
      query: Type.Object(dateRangeQueryFields, { additionalProperties: false }),
      responses: {
        200: Type.Object({
          ...CoverageSchema.properties,
          sources: Type.Array(
            Type.Object({
              source: Type.Enum(['script', 'servers'], {
                description: 'The source: the `script` in the browser, or `servers` including imported logs.',
                examples: ['servers'],
              }),
              firstDay: Day('First day (UTC) for which the source reported views.', '2026-01-05'),
              lastDay: Day('Last day (UTC) for which the source reported views.', '2026-01-31'),
            }),
            { description: 'All sources that ever reported views of the project, including outside the range.' },
          ),
        }),
      },
    },
    handle: async ({ projectId, query }) =>
      createResponse(200, await viewReports.coverage(projectId, parseDateRange(query))),
  })
}
