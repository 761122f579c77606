import Type from 'typebox'
import { clientClasses } from '../../analytics/classify/client-class.ts'
import type { ViewReports } from '../../analytics/query/view-reports.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { dateRangeQuery, parseDateRange } from './date-range.ts'
import { ClientName, CoverageSchema, pathQuery } from './view-schemas.ts'

export function listClientsRoute({ viewReports }: { viewReports: ViewReports }): Route {
  return route({
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
      query: Type.Object({ ...dateRangeQuery, ...pathQuery }, { additionalProperties: false }),
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
      respond(200, await viewReports.clients(projectId, { range: parseDateRange(dates), path })),
  })
}
