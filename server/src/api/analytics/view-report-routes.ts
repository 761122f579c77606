/** Counts of page views: by page, over time and by client. */
import Type from 'typebox'
import { clientClasses } from '../../analytics/classify/client-class.ts'
import { timeSteps } from '../../analytics/query/query-timeseries.ts'
import type { ViewReportReader } from '../../analytics/query/view-report-reader.ts'
import { Problem } from '../../platform/http/problem.ts'
import { createResponse } from '../../platform/http/route.ts'
import { defineRoute, type Route } from '../route.ts'
import { DateTime, ProjectParams } from '../schemas.ts'
import { dateRangeQueryFields, parseDateRange } from './date-range.ts'
import { exportViewsRoute } from './export-views.ts'
import { aiScopeQueryFields, ClientName, CoverageSchema, pathQueryFields, viewCountFields } from './view-schemas.ts'

const ViewsResult = Type.Object(
  {
    totals: Type.Object(viewCountFields, {
      description: 'Sums over all matching pages in the range, not only over those in this response.',
    }),
    views: Type.Array(
      Type.Object({
        path: Type.String({ description: 'Path of the page.', examples: ['/docs/install'] }),
        ...viewCountFields,
      }),
      {
        description: 'Views by page: by `total` in descending order, then by `path`.',
      },
    ),
    hasMore: Type.Boolean({
      description: 'Whether there are more pages. The next response starts at `offset` + `limit`.',
      examples: [false],
    }),
    coverage: CoverageSchema,
  },
  { $id: 'ViewsResult', description: 'Page views by page, with their totals and coverage.' },
)

interface ViewReportRouteDeps {
  viewReports: ViewReportReader
}

export const viewReportRoutes = ({ viewReports }: ViewReportRouteDeps): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/v1/analytics/:projectId/views',
    access: 'analytics:read',
    name: 'listViews',
    tag: 'Page views',
    summary: 'Get page views by page',
    description:
      'Returns exact counts of human and AI page views for any range. With a `dateTo` in the past the order of the pages ' +
      'is stable between requests; otherwise new views can change it.',
    schemas: {
      params: ProjectParams,
      query: Type.Object(
        {
          ...dateRangeQueryFields,
          limit: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 250,
              default: 50,
              description: 'Maximum number of pages in the response.',
            }),
          ),
          offset: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: 999_999_999_999_999,
              default: 0,
              description: 'Number of pages to skip.',
            }),
          ),
          ...aiScopeQueryFields,
          ...pathQueryFields,
          q: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 200,
              description: 'Return only pages whose path contains this text. Case does not matter.',
              examples: ['install'],
            }),
          ),
        },
        { additionalProperties: false },
      ),
      responses: { 200: ViewsResult },
    },
    async handle({ projectId, query: { limit = 50, offset = 0, aiScope, path, q: contains, ...dates } }) {
      const options = { range: parseDateRange(dates), aiScope, pages: { path, contains }, limit, offset }
      return createResponse(200, await viewReports.list(projectId, options))
    },
  }),
  exportViewsRoute({ viewReports }),
  defineRoute({
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
  }),
  defineRoute({
    method: 'GET',
    url: '/v1/analytics/:projectId/clients',
    access: 'analytics:read',
    name: 'listClients',
    tag: 'Page views',
    summary: 'Get page views by client',
    description:
      'Returns the clients that requested pages, by number of views in descending order. Unlike the counts of pages, they include search engines and other bots.',
    schemas: {
      params: ProjectParams,
      query: Type.Object({ ...dateRangeQueryFields, ...pathQueryFields }, { additionalProperties: false }),
      responses: {
        200: Type.Object({
          clients: Type.Array(
            Type.Object({
              class: Type.Enum(clientClasses, { description: 'Class of the client.', examples: ['assistant'] }),
              name: ClientName,
              views: Type.Integer({ minimum: 0, description: 'Number of page views by the client.', examples: [231] }),
            }),
            { description: 'Clients, by number of views in descending order.' },
          ),
          coverage: CoverageSchema,
        }),
      },
    },
    handle: async ({ projectId, query: { path, ...dates } }) =>
      createResponse(200, await viewReports.clients(projectId, { range: parseDateRange(dates), path })),
  }),
]

/** In the spelling of ClickHouse, where the names of time zones are case-sensitive. */
function normalizeTimeZone(name: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    const errors = [{ path: 'query/timeZone', message: 'is not a known time zone: use a name like Europe/Berlin' }]
    throw new Problem('invalid_request', `${errors[0]?.path} ${errors[0]?.message}.`, { errors })
  }
}
