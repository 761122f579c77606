import Type from 'typebox'
import type { ViewReports } from '../../analytics/query/view-reports.ts'
import { timeSteps } from '../../analytics/query/view-timeseries.ts'
import { Problem } from '../../platform/http/problem.ts'
import { type Route, respond, route } from '../route.ts'
import { DateTime, ProjectParams } from '../schemas.ts'
import { dateRangeQuery, readDateRange } from './date-range.ts'
import { aiQuery, CoverageSchema, pathQuery, viewCounts } from './views-schemas.ts'

export function viewTimeseriesRoute({ viewReports }: { viewReports: ViewReports }): Route {
  return route({
    method: 'GET',
    url: '/v1/analytics/:projectId/views/timeseries',
    access: 'analytics:read',
    name: 'viewTimeseries',
    tag: 'Page views',
    summary: 'Page views over time',
    description:
      'Without gaps, at most 10,000 steps. Days, weeks (from Monday) and months begin at midnight of the time zone. The first ' +
      'and the last step hold what is in the range, and may be cut by it.',
    schemas: {
      params: ProjectParams,
      query: Type.Object(
        {
          ...dateRangeQuery,
          interval: Type.Optional(Type.Enum(timeSteps, { default: 'day' })),
          timeZone: Type.Optional(
            Type.String({
              maxLength: 64,
              pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$',
              default: 'UTC',
              description: 'A name of the time zone database, like `Europe/Berlin`.',
            }),
          ),
          ...aiQuery,
          ...pathQuery,
        },
        { additionalProperties: false },
      ),
      responses: {
        200: Type.Object(
          {
            interval: Type.Enum(timeSteps),
            timeZone: Type.String(),
            points: Type.Array(
              Type.Object({
                at: DateTime('When the step begins: of the first it may be before `dateFrom`.'),
                ...viewCounts,
              }),
            ),
            coverage: CoverageSchema,
          },
          { $id: 'ViewsTimeseries' },
        ),
      },
    },
    async handle({ projectId, query: { interval = 'day', timeZone: asked = 'UTC', aiScope, path, ...dates } }) {
      const timeZone = readTimeZone(asked)
      const range = readDateRange(dates)
      const question = { range, aiScope, step: interval, timeZone, path }
      const { points, coverage } = await viewReports.timeseries(projectId, question)
      const told = points.map(({ at, ...counts }) => ({ at: at.toISOString(), ...counts }))
      return respond(200, { interval, timeZone: asked, points: told, coverage })
    },
  })
}

/** As ClickHouse writes it, which minds the case. */
function readTimeZone(name: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    const errors = [{ path: 'query/timeZone', message: 'is not known: take a name like Europe/Berlin' }]
    throw new Problem('invalid_request', `${errors[0]?.path} ${errors[0]?.message}.`, { errors })
  }
}
