import Type from 'typebox'
import { timeSteps } from '../../analytics/query/query-timeseries.ts'
import type { ViewReportReader } from '../../analytics/query/view-report-reader.ts'
import { Problem } from '../../platform/http/problem.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { DateTime, ProjectParams } from '../schemas.ts'
import { dateRangeQueryFields, parseDateRange } from './date-range.ts'
import { aiScopeQueryFields, CoverageSchema, pathQueryFields, viewCountFields } from './view-schemas.ts'

export function getViewTimeseriesRoute({ viewReports }: { viewReports: ViewReportReader }): Route {
  return defineRoute({
    method: 'GET',
    url: '/v1/analytics/:projectId/views/timeseries',
    access: 'analytics:read',
    name: 'getViewTimeseries',
    tag: 'Page views',
    summary: 'Get page views over time',
    description:
      'Returns counts for each interval of the range, without gaps, up to 10,000 intervals. Days, weeks (from Monday) and ' +
      'months begin at midnight in the time zone. The first and the last interval include only the views in the range.',
    schemas: {
      params: ProjectParams,
      query: Type.Object(
        {
          ...dateRangeQueryFields,
          interval: Type.Optional(Type.Enum(timeSteps, { default: 'day', description: 'Length of an interval.' })),
          timeZone: Type.Optional(
            Type.String({
              maxLength: 64,
              pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$',
              default: 'UTC',
              description: 'Name of a time zone in the IANA database, for example `Europe/Berlin`.',
            }),
          ),
          ...aiScopeQueryFields,
          ...pathQueryFields,
        },
        { additionalProperties: false },
      ),
      responses: {
        200: Type.Object(
          {
            interval: Type.Enum(timeSteps, { description: 'Length of an interval.', examples: ['day'] }),
            timeZone: Type.String({ description: 'Time zone of the intervals.', examples: ['Europe/Berlin'] }),
            points: Type.Array(
              Type.Object({
                at: DateTime('Start of the interval. The first interval can start before `dateFrom`.'),
                ...viewCountFields,
              }),
              { description: 'Counts by interval, oldest first.' },
            ),
            coverage: CoverageSchema,
          },
          { $id: 'ViewsTimeseries', description: 'Page views over time, with their coverage.' },
        ),
      },
    },
    async handle({ projectId, query: { interval = 'day', timeZone = 'UTC', aiScope, path, ...dates } }) {
      const { points, coverage } = await viewReports.timeseries(projectId, {
        timeZone: normalizeTimeZone(timeZone),
        range: parseDateRange(dates),
        aiScope,
        step: interval,
        path,
      })
      return createResponse(200, {
        interval,
        timeZone,
        points: points.map(({ at, ...counts }) => ({ at: at.toISOString(), ...counts })),
        coverage,
      })
    },
  })
}

/** In the spelling of ClickHouse, where the names of time zones are case-sensitive. */
function normalizeTimeZone(name: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    const errors = [{ path: 'query/timeZone', message: 'is not a known time zone: use a name like Europe/Berlin' }]
    throw new Problem('invalid_request', `${errors[0]?.path} ${errors[0]?.message}.`, { errors })
  }
}
