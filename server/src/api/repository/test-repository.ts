import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import type { CodeHosts } from './code-hosts.ts'
import { ConnectRepositoryBody, RepositoryTestSchema, toRepositoryInput } from './repository.ts'

export function testRepositoryRoute({ codeHosts }: { codeHosts: CodeHosts }): Route {
  return route({
    method: 'POST',
    url: '/v2/projects/:projectId/repository/test',
    access: 'project:write',
    name: 'testRepository',
    tag: 'Projects',
    summary: 'Test a repository connection',
    description:
      'Tests a connection to a repository without storing anything. A failed test is a 200 response with `ok: false` and ' +
      'a `message` that says what to do.',
    schemas: { params: ProjectParams, body: ConnectRepositoryBody, responses: { 200: RepositoryTestSchema } },
    handle: async ({ body }) => respond(200, await codeHosts.test(toRepositoryInput(body, {}), body.token)),
  })
}
