import Type from 'typebox'
import { healthAnswer } from '../../platform/http/health-routes.ts'
import { answer, type Route, route } from '../route.ts'

const Health = Type.Object({ status: Type.Literal('alive'), version: Type.String() }, { $id: 'Health' })

export function healthzRoute(): Route {
  return route({
    method: 'GET',
    url: '/healthz',
    access: 'public',
    name: 'getHealth',
    tag: 'Service',
    summary: 'Is the process alive?',
    schemas: { answers: { 200: Health } },
    handle: async () => answer(200, healthAnswer()),
  })
}
