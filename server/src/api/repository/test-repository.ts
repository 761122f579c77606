import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import type { CodeHosts } from './code-hosts.ts'
import { asWanted, ConnectBody, RepositoryTestSchema } from './repository.ts'

export function testRepositoryRoute({ codeHosts }: { codeHosts: CodeHosts }): Route {
  return route({
    method: 'POST',
    url: '/v2/projects/:projectId/repository/test',
    access: 'project:write',
    name: 'testRepository',
    tag: 'Projects',
    summary: 'Test a connection to a repository',
    description: 'Nothing is stored. What does not work is an answer too, with what to do about it.',
    schemas: { params: ProjectParams, body: ConnectBody, responses: { 200: RepositoryTestSchema } },
    handle: async ({ body }) => respond(200, await codeHosts.test(asWanted(body, {}), body.token)),
  })
}
