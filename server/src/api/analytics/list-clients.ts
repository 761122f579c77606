import Type from 'typebox'
import { clientClasses } from '../../analytics/classify/client-class.ts'
import type { ViewReports } from '../../analytics/query/view-reports.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { dateRangeQuery, readDateRange } from './date-range.ts'
import { CoverageSchema, pathQuery } from './views-schemas.ts'

export function listClientsRoute({ viewReports }: { viewReports: ViewReports }): Route {
  return route({
    method: 'GET',
    url: '/v1/analytics/:projectId/clients',
    access: 'analytics:read',
    name: 'listClients',
    tag: 'Page views',
    summary: 'Who read: every kind of reader, by name',
    description: 'Most views first. Search engines and other bots too, which are in neither number of a page.',
    schemas: {
      params: ProjectParams,
      query: Type.Object({ ...dateRangeQuery, ...pathQuery }, { additionalProperties: false }),
      responses: {
        200: Type.Object({
          clients: Type.Array(
            Type.Object({
              class: Type.Enum(clientClasses),
              name: Type.String({ description: 'A name of the list of readers, or `browser`, or `unknown`.' }),
              views: Type.Integer({ minimum: 0 }),
            }),
          ),
          coverage: CoverageSchema,
        }),
      },
    },
    handle: async ({ projectId, query: { path, ...dates } }) =>
      respond(200, await viewReports.clients(projectId, { range: readDateRange(dates), path })),
  })
}
