import Type from 'typebox'
import { clientClasses } from '../../analytics/classify/client-class.ts'
import { allDropReasons, viewSources } from '../../analytics/collect/view-source.ts'
import type { ViewReportReader } from '../../analytics/query/view-report-reader.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { DateTime, nullable, ProjectParams } from '../schemas.ts'
import { ClientName } from './view-schemas.ts'

const LiveClient = Type.Object({
  class: Type.Enum(clientClasses, { description: 'Class of the client.', examples: ['assistant'] }),
  name: ClientName,
})

export function listLiveEventsRoute({ viewReports }: { viewReports: ViewReportReader }): Route {
  return defineRoute({
    method: 'GET',
    url: '/v1/analytics/:projectId/live-events',
    access: 'analytics:read',
    name: 'listLiveEvents',
    tag: 'Page views',
    summary: 'List live events',
    description:
      'Returns up to 50 events of the last 15 minutes, newest first, a few seconds after they arrive. Use it to check that ' +
      'page views are counted while you set up a source. Of the dropped events, only a sample is included.',
    schemas: {
      params: ProjectParams,
      responses: {
        200: Type.Object({
          events: Type.Array(
            Type.Object({
              at: DateTime('Time of the page view. For a dropped event, the time at which it arrived.'),
              path: Type.String({ description: 'Path of the page.', examples: ['/docs/install'] }),
              source: Type.Enum(viewSources, { description: 'Source that reported the event.', examples: ['servers'] }),
              client: nullable(LiveClient, {
                description: 'Client that requested the page. Null if the event was dropped.',
              }),
              reason: nullable(Type.Enum(allDropReasons), {
                description: 'Why the event was dropped. Null if it was counted.',
                examples: [null],
              }),
            }),
            { description: 'Events, newest first.' },
          ),
        }),
      },
    },
    async handle({ projectId }) {
      const events = await viewReports.listLiveEvents(projectId)
      return createResponse(200, { events: events.map(({ at, ...event }) => ({ ...event, at: at.toISOString() })) })
    },
  })
}
