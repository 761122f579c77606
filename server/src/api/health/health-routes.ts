import Type from 'typebox'
import { healthResponse, readinessResponse } from '../../platform/http/health-routes.ts'
import {
  componentFailureReasons,
  type Readiness,
  readinessStatuses,
  readinessWarnings,
} from '../../platform/http/readiness.ts'
import { createResponse } from '../../platform/http/route.ts'
import { defineRoute, type Route } from '../route.ts'

const Health = Type.Object(
  {
    status: Type.Literal('alive', { description: 'Always `alive`.' }),
    version: Type.String({ description: 'Version of Colophon.', examples: ['0.1.0'] }),
  },
  { $id: 'Health', description: 'Liveness of the process.' },
)

export const ComponentStatus = Type.Union(
  [
    Type.Object({
      status: Type.Literal('ok', { description: 'The component works.' }),
      latencyMs: Type.Integer({ description: 'Duration of the check in milliseconds.', examples: [3] }),
    }),
    Type.Object({
      status: Type.Literal('failing', { description: 'The component does not work.' }),
      reason: Type.Enum(componentFailureReasons, {
        description: 'Why the check failed. Details are in the server log.',
      }),
    }),
  ],
  { description: 'Whether the component works, and if not, why.' },
)

export const ReadinessStatus = Type.Enum(readinessStatuses, {
  description:
    '`ready`: everything works. `degraded`: a component fails, but requests are accepted. `not_ready`: requests should go to another replica. `stopping`: the process is shutting down.',
})

const ReadinessSchema = Type.Object(
  {
    status: ReadinessStatus,
    components: Type.Record(Type.String(), ComponentStatus, {
      description: 'Status of each component that the process depends on, by name.',
    }),
    warnings: Type.Array(Type.Enum(readinessWarnings), {
      description:
        'What an operator should change, although everything works. `untrusted_proxy`: requests come from a reverse proxy that is ' +
        'not in `COLOPHON_TRUSTED_PROXIES`, so all clients behind it share one address and one rate limit.',
      examples: [[]],
    }),
    version: Type.String({ description: 'Version of Colophon.' }),
    newerVersion: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description:
          'The newest release, if it is newer than this version. Null if there is none, or if the operator does not have it looked up ' +
          '(`COLOPHON_RELEASES_URL`).',
        examples: [null],
      }),
    ),
  },
  {
    $id: 'Readiness',
    description: 'Readiness of the process and of the components that it depends on.',
    examples: [
      {
        status: 'ready',
        components: {
          postgres: { status: 'ok', latencyMs: 2 },
          temporal: { status: 'ok', latencyMs: 4 },
          clickhouse: { status: 'ok', latencyMs: 3 },
        },
        warnings: [],
        version: '0.1.0',
        newerVersion: null,
      },
    ],
  },
)

export interface HealthRouteDeps {
  readiness: Readiness
}

export const healthRoutes = ({ readiness }: HealthRouteDeps): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/healthz',
    access: 'public',
    name: 'getHealth',
    tag: 'Service',
    summary: 'Check liveness',
    description:
      'Responds while the process runs. It does not check the services that the process depends on: see `/readyz`.',
    schemas: { responses: { 200: Health } },
    handle: async () => createResponse(200, healthResponse()),
  }),
  defineRoute({
    method: 'GET',
    url: '/readyz',
    access: 'public',
    name: 'getReadiness',
    tag: 'Service',
    summary: 'Check readiness',
    description:
      'Reports which components work. Responds with 200 while the process accepts requests (`ready`, `degraded`) and with 503 while requests should go to another replica (`not_ready`, `stopping`).',
    schemas: { responses: { 200: ReadinessSchema, 503: ReadinessSchema } },
    async handle() {
      const { status, body } = await readinessResponse(readiness)
      return createResponse(status, body, { 'cache-control': 'no-store' })
    },
  }),
]
