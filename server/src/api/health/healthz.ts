import Type from 'typebox'
import { healthResponse } from '../../platform/http/health-routes.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'

const Health = Type.Object(
  {
    status: Type.Literal('alive', { description: 'Always `alive`.' }),
    version: Type.String({ description: 'Version of Colophon.', examples: ['0.1.0'] }),
  },
  { $id: 'Health', description: 'Liveness of the process.' },
)

export function healthzRoute(): Route {
  return defineRoute({
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
  })
}
