import Type from 'typebox'
import { classify } from '../../analytics/classify/classify.ts'
import { clientClasses } from '../../analytics/classify/client-class.ts'
import { type ClientDetector, clientRules } from '../../analytics/classify/client-detector.ts'
import { dropReasons } from '../../analytics/classify/drop-reason.ts'
import { surfaces } from '../../analytics/classify/page-path.ts'
import { type Route, respond, route } from '../route.ts'
import { nullable, ProjectParams } from '../schemas.ts'

const ClassifiedView = Type.Object({
  path: Type.String({ description: 'The page, as it stands in lists.' }),
  surface: Type.Enum(surfaces, { description: 'In which form the page was asked for.' }),
  class: Type.Enum(clientClasses),
  client: Type.String({ description: 'A name of the list of readers, or `browser`, or `unknown`.' }),
  rule: Type.Enum(clientRules, { description: 'What decided.' }),
})

export function classifyClientRoute({ clientDetector }: { clientDetector: ClientDetector }): Route {
  return route({
    method: 'GET',
    url: '/v1/analytics/:projectId/classify',
    access: 'analytics:read',
    name: 'classifyClient',
    tag: 'Page views',
    summary: 'Who a reader would be taken for, and why',
    description: 'Of a request that got its page. Nothing is counted.',
    schemas: {
      params: ProjectParams,
      // Of any length: no longer than headers may be, and the rule reads the beginning.
      query: Type.Object(
        {
          userAgent: Type.Optional(Type.String({ default: '', description: 'The header `User-Agent`.' })),
          path: Type.Optional(Type.String({ default: '/', description: 'As it was asked for, like `/guide.md?x=1`.' })),
          accept: Type.Optional(Type.String({ default: '', description: 'The header `Accept`.' })),
        },
        { additionalProperties: false },
      ),
      responses: {
        200: Type.Object(
          {
            view: nullable(ClassifiedView, { description: 'Null: it would be no view.' }),
            reason: nullable(Type.Enum(dropReasons), { description: 'Why it would be no view.' }),
            ruleVersion: Type.String({ description: 'Of the rule and the list of readers together.' }),
          },
          { $id: 'ClientClassification' },
        ),
      },
    },
    async handle({ query: { userAgent = '', path = '/', accept = '' } }) {
      const seen = classify(
        {
          method: 'GET',
          status: 200,
          prefetch: false,
          source: 'servers',
          userAgent,
          path,
          accept,
        },
        // Servers see everybody: who counts whom in this project is another question.
        { clientDetector, humanSource: 'servers' },
      )
      if (!seen.counted) return respond(200, { view: null, reason: seen.reason, ruleVersion: clientDetector.version })
      const { path: page, surface, class: clientClass, client, rule } = seen
      const view = { path: page, surface, class: clientClass, client, rule }
      return respond(200, { view, reason: null, ruleVersion: clientDetector.version })
    },
  })
}
