import Type from 'typebox'
import { readinessResponse } from '../../platform/http/health-routes.ts'
import { failureReasons, type Readiness, readinessStatuses } from '../../platform/http/readiness.ts'
import { type Route, respond, route } from '../route.ts'

export const ComponentStatus = Type.Union([
  Type.Object({ status: Type.Literal('ok'), latencyMs: Type.Integer() }),
  Type.Object({ status: Type.Literal('failing'), reason: Type.Enum(failureReasons) }),
])

export const ReadinessStatus = Type.Enum(readinessStatuses, {
  description: '`degraded`: something is away, but requests are taken all the same.',
})

const ReadinessSchema = Type.Object(
  {
    status: ReadinessStatus,
    components: Type.Record(Type.String(), ComponentStatus),
    version: Type.String(),
  },
  { $id: 'Readiness' },
)

export function readyzRoute({ readiness }: { readiness: Readiness }): Route {
  return route({
    method: 'GET',
    url: '/readyz',
    access: 'public',
    name: 'getReadiness',
    tag: 'Service',
    summary: 'What works and what does not',
    description:
      '200 while requests are taken (`ready`, `degraded`), 503 while they should go elsewhere (`not_ready`, `stopping`).',
    schemas: { responses: { 200: ReadinessSchema, 503: ReadinessSchema } },
    async handle() {
      const { status, body } = await readinessResponse(readiness)
      return respond(status, body, { 'cache-control': 'no-store' })
    },
  })
}
