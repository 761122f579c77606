import Type from 'typebox'
import { healthResponse } from '../../platform/http/health-routes.ts'
import { type Route, respond, route } from '../route.ts'

const Health = Type.Object({ status: Type.Literal('alive'), version: Type.String() }, { $id: 'Health' })

export function healthzRoute(): Route {
  return route({
    method: 'GET',
    url: '/healthz',
    access: 'public',
    name: 'getHealth',
    tag: 'Service',
    summary: 'Is the process alive?',
    schemas: { responses: { 200: Health } },
    handle: async () => respond(200, healthResponse()),
  })
}
