import Type from 'typebox'
import type { ViewReports } from '../../analytics/query/view-reports.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { dateRangeQuery, readDateRange } from './date-range.ts'
import { CoverageSchema } from './views-schemas.ts'

const Day = (description: string) => Type.String({ format: 'date', description })

export function getCoverageRoute({ viewReports }: { viewReports: ViewReports }): Route {
  return route({
    method: 'GET',
    url: '/v1/analytics/:projectId/coverage',
    access: 'analytics:read',
    name: 'getCoverage',
    tag: 'Page views',
    summary: 'What was measured, and by whom',
    description: 'Where nobody looked, 0 views say nothing.',
    schemas: {
      params: ProjectParams,
      query: Type.Object(dateRangeQuery, { additionalProperties: false }),
      responses: {
        200: Type.Object({
          ...CoverageSchema.properties,
          sources: Type.Array(
            Type.Object({
              source: Type.Enum(['script', 'servers']),
              firstDay: Day('The first day, in UTC, of which it told.'),
              lastDay: Day('The last one.'),
            }),
            { description: 'All that ever told of the project, also outside of the range.' },
          ),
        }),
      },
    },
    handle: async ({ projectId, query }) => respond(200, await viewReports.coverage(projectId, readDateRange(query))),
  })
}
