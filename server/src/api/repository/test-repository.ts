import { createResponse, defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { ConnectRepositoryBody, RepositoryTestResultSchema, toRepositoryInput } from './repository.ts'
import type { RepositoryConnector } from './repository-connector.ts'

export function testRepositoryRoute({ codeHosts }: { codeHosts: RepositoryConnector }): Route {
  return defineRoute({
    method: 'POST',
    url: '/v2/projects/:projectId/repository/test',
    access: 'project:write',
    name: 'testRepository',
    tag: 'Projects',
    summary: 'Test a repository connection',
    description:
      'Tests a connection to a repository without storing anything. A failed test is a 200 response with `ok: false` and ' +
      'a `message` that says what to do.',
    schemas: { params: ProjectParams, body: ConnectRepositoryBody, responses: { 200: RepositoryTestResultSchema } },
    handle: async ({ body }) => createResponse(200, await codeHosts.test(toRepositoryInput(body, {}), body.token)),
  })
}
