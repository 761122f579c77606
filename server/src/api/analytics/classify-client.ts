import Type from 'typebox'
import { classifyRequest } from '../../analytics/classify/classify-request.ts'
import { clientClasses } from '../../analytics/classify/client-class.ts'
import { type ClientDetector, clientDetectionRules } from '../../analytics/classify/client-detector.ts'
import { dropReasons } from '../../analytics/classify/drop-reason.ts'
import { requestedPageFormats } from '../../analytics/classify/page-path.ts'
import { createResponse } from '../../platform/http/route.ts'
import { defineRoute, type Route } from '../route.ts'
import { nullable, ProjectParams } from '../schemas.ts'
import { ClientName } from './view-schemas.ts'

const ClassifiedView = Type.Object({
  path: Type.String({ description: 'Path of the page, as it is in the list of pages.', examples: ['/docs/install'] }),
  surface: Type.Enum(requestedPageFormats, { description: 'Format in which the page was requested.' }),
  class: Type.Enum(clientClasses, { description: 'Class of the client.', examples: ['assistant'] }),
  client: ClientName,
  rule: Type.Enum(clientDetectionRules, { description: 'Rule that decided the class.' }),
})

export function classifyClientRoute({ clientDetector }: { clientDetector: ClientDetector }): Route {
  return defineRoute({
    method: 'GET',
    url: '/v1/analytics/:projectId/classify',
    access: 'analytics:read',
    name: 'classifyClient',
    tag: 'Page views',
    summary: 'Classify a client',
    description: 'Returns how a successful GET request would be counted, and why. Nothing is counted.',
    schemas: {
      params: ProjectParams,
      // Without a length limit: headers are limited anyway, and the rules read only the beginning.
      query: Type.Object(
        {
          userAgent: Type.Optional(Type.String({ default: '', description: 'User-Agent header of the request.' })),
          path: Type.Optional(
            Type.String({ default: '/', description: 'Target of the request line, for example `/guide.md?x=1`.' }),
          ),
          accept: Type.Optional(Type.String({ default: '', description: 'Accept header of the request.' })),
        },
        { additionalProperties: false },
      ),
      responses: {
        200: Type.Object(
          {
            view: nullable(ClassifiedView, {
              description: 'The page view that would be counted. Null if the request would be dropped.',
            }),
            reason: nullable(Type.Enum(dropReasons), {
              description: 'Why the request would be dropped. Null if it would be counted.',
              examples: [null],
            }),
            ruleVersion: Type.String({
              description: 'Version of the rules and of the list of known clients.',
              examples: ['1/2026-01-15'],
            }),
          },
          { $id: 'ClientClassification', description: 'How a request would be counted, and why.' },
        ),
      },
    },
    async handle({ query: { userAgent = '', path = '/', accept = '' } }) {
      const classified = classifyRequest(
        {
          method: 'GET',
          status: 200,
          prefetch: false,
          source: 'servers',
          userAgent,
          path,
          accept,
        },
        // Servers see all traffic. Which source counts which traffic in this project does not matter here.
        { clientDetector, humanSource: 'servers' },
      )
      if (!classified.counted)
        return createResponse(200, { view: null, reason: classified.reason, ruleVersion: clientDetector.version })
      const { path: page, surface, class: clientClass, client, rule } = classified
      const view = { path: page, surface, class: clientClass, client, rule }
      return createResponse(200, { view, reason: null, ruleVersion: clientDetector.version })
    },
  })
}
