import type { RepositoryStore } from '../../projects/repository-store.ts'
import { answer, type Route, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import type { CodeHosts } from './code-hosts.ts'
import { asAnswer, asWanted, ConnectBody, RepositorySchema } from './repository.ts'

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
    schemas: { params: ProjectParams, body: ConnectBody, answers: { 200: RepositorySchema } },
    wantsFreshSession: true,
    async handle({ projectId, body, actor }) {
      const before = await repositories.find(projectId)
      const wanted = asWanted(body, before?.publishing ?? {})
      const connected = await codeHosts.connect(projectId, wanted, body.token, actor)
      return answer(200, asAnswer(connected, codeHosts.defaultTemplates))
    },
  })
}
