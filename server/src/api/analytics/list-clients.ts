import Type from 'typebox'
import { clientClasses } from '../../analytics/classify/client-class.ts'
import type { ViewReportReader } from '../../analytics/query/view-report-reader.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { dateRangeQueryFields, parseDateRange } from './date-range.ts'
import { ClientName, CoverageSchema, pathQueryFields } from './view-schemas.ts'

export function listClientsRoute({ viewReports }: { viewReports: ViewReportReader }): Route {
  return defineRoute({
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
  })
}
