import type { RepositoryStore } from '../../projects/repository-store.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import type { CodeHosts } from './code-hosts.ts'
import { asWanted, ConnectBody, RepositorySchema, toResponse } from './repository.ts'

export function connectRepositoryRoute({
  repositories,
  codeHosts,
}: {
  repositories: RepositoryStore
  codeHosts: CodeHosts
}): Route {
  return route({
    method: 'POST',
    url: '/v2/projects/:projectId/repository',
    access: 'project:write',
    name: 'connectRepository',
    tag: 'Projects',
    summary: 'Connect a project to its repository',
    description:
      'Tested first; what does not work is refused and nothing is stored. A project has one repository: connecting ' +
      'another takes its place, and keeps the publishing rules.',
    schemas: { params: ProjectParams, body: ConnectBody, responses: { 200: RepositorySchema } },
    wantsFreshSession: true,
    async handle({ projectId, body, actor }) {
      const before = await repositories.find(projectId)
      const wanted = asWanted(body, before?.publishing ?? {})
      const connected = await codeHosts.connect(projectId, wanted, body.token, actor)
      return respond(200, toResponse(connected, codeHosts.defaultTemplates))
    },
  })
}
