import Type from 'typebox'
import { classify } from '../../analytics/classify/classify.ts'
import { dropReasons } from '../../analytics/classify/drop-reason.ts'
import { surfaces } from '../../analytics/classify/page-path.ts'
import { readerClasses } from '../../analytics/classify/reader-class.ts'
import { type Readers, readerRules } from '../../analytics/classify/readers.ts'
import { answer, type Route, route } from '../route.ts'
import { nullable, ProjectParams } from '../schemas.ts'

const Reader = Type.Object({
  path: Type.String({ description: 'The page, as it stands in lists.' }),
  surface: Type.Enum(surfaces, { description: 'In which form the page was asked for.' }),
  class: Type.Enum(readerClasses),
  agent: Type.String({ description: 'A name of the list of readers, or `browser`, or `unknown`.' }),
  rule: Type.Enum(readerRules, { description: 'What decided.' }),
})

export function classifyReaderRoute({ readers }: { readers: Readers }): Route {
  return route({
    method: 'GET',
    url: '/v1/analytics/:projectId/classify',
    access: 'analytics:read',
    name: 'classifyReader',
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
      answers: {
        200: Type.Object(
          {
            view: nullable(Reader, { description: 'Null: it would be no view.' }),
            reason: nullable(Type.Enum(dropReasons), { description: 'Why it would be no view.' }),
            ruleVersion: Type.String({ description: 'Of the rule and the list of readers together.' }),
          },
          { $id: 'ReaderClassification' },
        ),
      },
    },
    async handle({ query: { userAgent = '', path = '/', accept = '' } }) {
      const seen = classify(
        {
          method: 'GET',
          status: 200,
          prefetch: false,
          verification: { kind: 'none' },
          source: 'servers',
          userAgent,
          path,
          accept,
        },
        // Servers see everybody: who counts whom in this project is another question.
        { readers, peopleCountedBy: 'servers' },
      )
      if (!seen.counted) return answer(200, { view: null, reason: seen.reason, ruleVersion: readers.version })
      const { path: page, surface, class: readerClass, agent, rule } = seen
      const view = { path: page, surface, class: readerClass, agent, rule }
      return answer(200, { view, reason: null, ruleVersion: readers.version })
    },
  })
}
