import Type from 'typebox'
import { allDropReasons, viewSources } from '../../analytics/collect/view-source.ts'
import type { ViewReportReader } from '../../analytics/query/view-report-reader.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { DateTime, nullable, ProjectParams } from '../schemas.ts'

const Count = (description: string, example: number) => Type.Integer({ minimum: 0, description, examples: [example] })

const FirstDay = (traffic: string) =>
  nullable(Type.String({ format: 'date' }), {
    description: `First day, in UTC, on which a source reported ${traffic} traffic. Null if none did.`,
    examples: ['2026-01-05'],
  })

export function listSourcesRoute({ viewReports }: { viewReports: ViewReportReader }): Route {
  return defineRoute({
    method: 'GET',
    url: '/v1/analytics/:projectId/sources',
    access: 'analytics:read',
    name: 'listSources',
    tag: 'Page views',
    summary: 'List sources of page views',
    description:
      'Returns what each source has reported recently. Use it to check that page views are counted. The numbers are updated ' +
      'every few seconds and cover whole hours. Unlike the views themselves, they can miss some events if a process is killed.',
    schemas: {
      params: ProjectParams,
      responses: {
        200: Type.Object(
          {
            sources: Type.Array(
              Type.Object({
                source: Type.Enum(viewSources, {
                  description:
                    'The source: the `script` in the browser, `servers`, or `logs` imported with `colophon-server import-logs`.',
                }),
                lastEventAt: DateTime('Time at which the last event arrived, whether it was counted or not.'),
                countedLast24Hours: Count('Number of page views counted in the last 24 hours.', 5210),
                droppedLast24Hours: Count('Number of requests dropped in the last 24 hours.', 842),
              }),
              { description: 'Sources, the one with the most recent event first.' },
            ),
            dropped: Type.Array(
              Type.Object({
                source: Type.Enum(viewSources, { description: 'Source that reported the requests.' }),
                reason: Type.Enum(allDropReasons, {
                  description:
                    'Why the requests were dropped. `opted_out`: the browser sends Do Not Track or Global Privacy Control. ' +
                    '`origin_not_allowed`: the script is on a page whose origin is not in `allowedOrigins`.',
                  examples: ['not_a_page'],
                }),
                last24Hours: Count('Number of requests dropped for this reason in the last 24 hours.', 640),
                last7Days: Count('Number of requests dropped for this reason in the last 7 days.', 4312),
              }),
              { description: 'Dropped requests by source and reason, by `last7Days` in descending order.' },
            ),
            measuredSince: Type.Object(
              { human: FirstDay('human'), ai: FirstDay('AI') },
              { description: 'Since when human and AI traffic has been measured. Not every source can measure both.' },
            ),
          },
          { $id: 'ViewSources', description: 'Recent activity of the sources of page views.' },
        ),
      },
    },
    async handle({ projectId }) {
      const { sources, dropped, measuredSince } = await viewReports.sources(projectId)
      return createResponse(200, {
        sources: sources.map(({ lastEventAt, ...source }) => ({ ...source, lastEventAt: lastEventAt.toISOString() })),
        dropped,
        measuredSince,
      })
    },
  })
}
