/** What the sources of page views report, and what they can measure. */
import Type from 'typebox'
import { clientClasses } from '../../analytics/classify/client-class.ts'
import { allDropReasons, viewSources } from '../../analytics/collect/view-source.ts'
import type { ViewReportReader } from '../../analytics/query/view-report-reader.ts'
import { createResponse } from '../../platform/http/route.ts'
import { defineRoute, type Route } from '../route.ts'
import { DateTime, nullable, ProjectParams } from '../schemas.ts'
import { dateRangeQueryFields, parseDateRange } from './date-range.ts'
import { ClientName, CoverageSchema } from './view-schemas.ts'

const Day = (description: string, example: string) => Type.String({ format: 'date', description, examples: [example] })

const Count = (description: string, example: number) => Type.Integer({ minimum: 0, description, examples: [example] })

const FirstDay = (traffic: string) =>
  nullable(Type.String({ format: 'date' }), {
    description: `First day, in UTC, on which a source reported ${traffic} traffic. Null if none did.`,
    examples: ['2026-01-05'],
  })

const LiveClient = Type.Object({
  class: Type.Enum(clientClasses, { description: 'Class of the client.', examples: ['assistant'] }),
  name: ClientName,
})

interface ViewSourceRouteDeps {
  viewReports: ViewReportReader
}

export const viewSourceRoutes = ({ viewReports }: ViewSourceRouteDeps): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/v1/analytics/:projectId/coverage',
    access: 'analytics:read',
    name: 'getCoverage',
    tag: 'Page views',
    summary: 'Get coverage',
    description:
      'Returns whether human and AI traffic was measured in the range, and by which sources. A count of 0 is meaningless where the coverage is `not_measured`.',
    schemas: {
      params: ProjectParams,
      query: Type.Object(dateRangeQueryFields, { additionalProperties: false }),
      responses: {
        200: Type.Object({
          ...CoverageSchema.properties,
          sources: Type.Array(
            Type.Object({
              source: Type.Enum(['script', 'servers'], {
                description: 'The source: the `script` in the browser, or `servers` including imported logs.',
                examples: ['servers'],
              }),
              firstDay: Day('First day (UTC) for which the source reported views.', '2026-01-05'),
              lastDay: Day('Last day (UTC) for which the source reported views.', '2026-01-31'),
            }),
            { description: 'All sources that ever reported views of the project, including outside the range.' },
          ),
        }),
      },
    },
    handle: async ({ projectId, query }) =>
      createResponse(200, await viewReports.coverage(projectId, parseDateRange(query))),
  }),
  defineRoute({
    method: 'GET',
    url: '/v1/analytics/:projectId/sources',
    access: 'analytics:read',
    name: 'listSources',
    tag: 'Page views',
    summary: 'List sources of page views',
    description:
      'Returns what each source has reported recently. Use it to check that page views are counted. The numbers are updated ' +
      'every few seconds (with hundreds of active projects, every minute) and cover whole hours. Unlike the views themselves, they can miss some events if a process is killed.',
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
                    '`origin_not_allowed`: the script is on a page whose origin is not in `allowedOrigins`. `rate_limited` and ' +
                    '`daily_limit`: the script sent more than the instance accepts.',
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
  }),
  defineRoute({
    method: 'GET',
    url: '/v1/analytics/:projectId/live-events',
    access: 'analytics:read',
    name: 'listLiveEvents',
    tag: 'Page views',
    summary: 'List live events',
    description:
      'Returns up to 50 events of the last 15 minutes, newest first, a few seconds after they arrive (with hundreds of active projects, dropped ones within a minute). Use it to check that ' +
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
  }),
]
