import Type from 'typebox'
import type { ViewReports } from '../../analytics/query/view-reports.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { dateRangeQuery, readDateRange } from './date-range.ts'
import { aiQuery, CoverageSchema, pathQuery, viewCounts } from './views-schemas.ts'

const ViewsResult = Type.Object(
  {
    totals: Type.Object(viewCounts, {
      description: 'Of the whole range and of all pages that were asked for, not of this page of the list.',
    }),
    views: Type.Array(Type.Object({ path: Type.String(), ...viewCounts }), {
      description: 'Most read first, then by path.',
    }),
    hasMore: Type.Boolean({ description: 'The next page begins at `offset` + `limit`.' }),
    coverage: CoverageSchema,
  },
  { $id: 'ViewsResult' },
)

export function listViewsRoute({ viewReports }: { viewReports: ViewReports }): Route {
  return route({
    method: 'GET',
    url: '/v1/analytics/:projectId/views',
    access: 'analytics:read',
    name: 'listViews',
    tag: 'Page views',
    summary: 'Page views by page, split into people and AI',
    description:
      'Exact for any two moments. Pages stay where they are between calls for a `dateTo` in the past; without one, new ' +
      'views may move them.',
    schemas: {
      params: ProjectParams,
      query: Type.Object(
        {
          ...dateRangeQuery,
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 250, default: 50 })),
          offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 999_999_999_999_999, default: 0 })),
          ...aiQuery,
          ...pathQuery,
          q: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 200,
              description: 'Only pages whose path holds this text, in whatever case.',
            }),
          ),
        },
        { additionalProperties: false },
      ),
      responses: { 200: ViewsResult },
    },
    async handle({ projectId, query: { limit = 50, offset = 0, aiScope, path, q: contains, ...dates } }) {
      const asked = { range: readDateRange(dates), aiScope, pages: { path, contains }, limit, offset }
      return respond(200, await viewReports.list(projectId, asked))
    },
  })
}
