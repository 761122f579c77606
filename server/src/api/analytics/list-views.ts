import Type from 'typebox'
import type { ViewReportReader } from '../../analytics/query/view-report-reader.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { dateRangeQueryFields, parseDateRange } from './date-range.ts'
import { aiScopeQueryFields, CoverageSchema, pathQueryFields, viewCountFields } from './view-schemas.ts'

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

export function listPagesByViewsRoute({ viewReports }: { viewReports: ViewReportReader }): Route {
  return defineRoute({
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
  })
}
