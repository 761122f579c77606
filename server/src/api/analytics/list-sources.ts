import Type from 'typebox'
import { leftOutReasons, viewSources } from '../../analytics/collect/view-source.ts'
import type { ViewReports } from '../../analytics/query/view-reports.ts'
import { type Route, respond, route } from '../route.ts'
import { DateTime, nullable, ProjectParams } from '../schemas.ts'

const Count = (description?: string) => Type.Integer({ minimum: 0, ...(description !== undefined && { description }) })

const FirstDay = (whom: string) =>
  nullable(Type.String({ format: 'date' }), {
    description: `The first day of a source that counts ${whom}. Null: none.`,
  })

export function listSourcesRoute({ viewReports }: { viewReports: ViewReports }): Route {
  return route({
    method: 'GET',
    url: '/v1/analytics/:projectId/sources',
    access: 'analytics:read',
    name: 'listSources',
    tag: 'Page views',
    summary: 'What the sources of page views have sent lately',
    description:
      'To see whether counting works. Written every few seconds and by whole hours: unlike the views themselves, it may ' +
      'miss some events when a process is killed.',
    schemas: {
      params: ProjectParams,
      responses: {
        200: Type.Object(
          {
            sources: Type.Array(
              Type.Object({
                source: Type.Enum(viewSources, { description: '`logs`: by `colophon-server import-logs`.' }),
                lastEventAt: DateTime('When its last event came, counted or not.'),
                countedLast24Hours: Count(),
                droppedLast24Hours: Count(),
              }),
              { description: 'The one that was heard of last first.' },
            ),
            dropped: Type.Array(
              Type.Object({
                source: Type.Enum(viewSources),
                reason: Type.Enum(leftOutReasons, {
                  description:
                    '`opted_out`: a browser that asks not to be counted. `origin_not_allowed`: the script, on a page that is ' +
                    "none of the project's `allowedOrigins`.",
                }),
                last24Hours: Count(),
                last7Days: Count(),
              }),
              { description: 'Most in seven days first.' },
            ),
            measuredSince: Type.Object(
              { human: FirstDay('people'), ai: FirstDay('AIs') },
              { description: 'Since when views were counted, by who reads: not every source can count both.' },
            ),
          },
          { $id: 'ViewSources' },
        ),
      },
    },
    async handle({ projectId }) {
      const { sources, dropped, measuredSince } = await viewReports.sources(projectId)
      const told = sources.map(({ lastEventAt, ...rest }) => ({ ...rest, lastEventAt: lastEventAt.toISOString() }))
      return respond(200, { sources: told, dropped, measuredSince })
    },
  })
}
