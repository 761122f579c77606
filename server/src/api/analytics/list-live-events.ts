import Type from 'typebox'
import { clientClasses } from '../../analytics/classify/client-class.ts'
import { leftOutReasons, viewSources } from '../../analytics/collect/view-source.ts'
import type { ViewReports } from '../../analytics/query/view-reports.ts'
import { type Route, respond, route } from '../route.ts'
import { DateTime, nullable, ProjectParams } from '../schemas.ts'

const LiveClient = Type.Object({
  class: Type.Enum(clientClasses),
  name: Type.String({ description: 'A name of the list of readers, or `browser`, or `unknown`.' }),
})

export function listLiveEventsRoute({ viewReports }: { viewReports: ViewReports }): Route {
  return route({
    method: 'GET',
    url: '/v1/analytics/:projectId/live-events',
    access: 'analytics:read',
    name: 'listLiveEvents',
    tag: 'Page views',
    summary: 'The last events of the last 15 minutes',
    description:
      'At most 50, newest first, within some seconds of their arrival: to see counting work while it is set up. Of those ' +
      'that are dropped only some are shown.',
    schemas: {
      params: ProjectParams,
      responses: {
        200: Type.Object({
          events: Type.Array(
            Type.Object({
              at: DateTime('When the page was read; of a dropped event, when it came.'),
              path: Type.String(),
              source: Type.Enum(viewSources),
              client: nullable(LiveClient, { description: 'Null: it was dropped.' }),
              reason: nullable(Type.Enum(leftOutReasons), { description: 'Why it was dropped. Null: it was counted.' }),
            }),
          ),
        }),
      },
    },
    async handle({ projectId }) {
      const events = await viewReports.live(projectId)
      return respond(200, { events: events.map(({ at, ...event }) => ({ ...event, at: at.toISOString() })) })
    },
  })
}
