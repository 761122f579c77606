/** What the log line of a request says about its caller. */
import Type from 'typebox'
import { afterAll, expect, inject, test } from 'vitest'
import { testAuthorizeDeps } from '../../../testing/harness/test-authorize-deps.ts'
import { createTestInstance } from '../../../testing/harness/test-instance.ts'
import { createHttpServer } from '../platform/http/http-server.ts'
import { createResponse } from '../platform/http/route.ts'
import { createLog } from '../platform/log.ts'
import { addRoutes } from './add-routes.ts'
import { defineRoute, type RouteAccess } from './route.ts'
import { ProjectParams } from './schemas.ts'

const instance = await createTestInstance(inject('services'), 'api request lines', 'api')
const lines: Record<string, unknown>[] = []
const log = createLog('test', { level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) })
const server = createHttpServer(
  { listen: { host: '127.0.0.1', port: 0 }, tls: undefined, trustedProxies: [], shutdownDelaySeconds: 0 },
  log,
)
const route = (url: string, access: RouteAccess) =>
  defineRoute({
    method: 'GET',
    url,
    access,
    name: 'example',
    tag: 'Service',
    summary: 'An example',
    schemas: { responses: { 200: Type.Object({}) }, ...(url.includes(':') && { params: ProjectParams }) },
    handle: async () => createResponse(200, {}),
  })
addRoutes(
  server,
  [route('/v2/projects/:projectId/example', 'project:read'), route('/collect', 'public')],
  testAuthorizeDeps(instance),
)
afterAll(async () => {
  await server.close()
  await instance.drop()
})

test('has the key and the address of a caller, also of one that is denied, but nothing about a reader', async () => {
  const { projectId, key, secret } = await instance.createProject('Logged')
  const url = `/v2/projects/${projectId}/example`
  await server.inject({ url, headers: { authorization: `Bearer ${secret}` }, remoteAddress: '192.0.2.7' })
  await server.inject({ url, headers: { authorization: 'Bearer nonsense' }, remoteAddress: '192.0.2.8' })
  await server.inject({ url: '/collect', remoteAddress: '192.0.2.9' })
  expect(lines.map(({ status, actor, ipAddress }) => ({ status, actor, ipAddress }))).toEqual([
    { status: 200, actor: key.id, ipAddress: '192.0.2.7' },
    { status: 401, actor: undefined, ipAddress: '192.0.2.8' },
    { status: 200, actor: undefined, ipAddress: undefined },
  ])
})
