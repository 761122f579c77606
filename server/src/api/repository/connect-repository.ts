import type { RepositoryStore } from '../../projects/repository-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { ConnectRepositoryBody, RepositorySchema, toRepositoryInput, toRepositoryResponse } from './repository.ts'
import type { RepositoryConnector } from './repository-connector.ts'

export function connectRepositoryRoute({
  repositories,
  codeHosts,
}: {
  repositories: RepositoryStore
  codeHosts: RepositoryConnector
}): Route {
  return defineRoute({
    method: 'POST',
    url: '/v2/projects/:projectId/repository',
    access: 'project:write',
    name: 'connectRepository',
    tag: 'Projects',
    summary: 'Connect a repository',
    description:
      'Connects the project to a repository with an access token. The connection is tested first; if the test fails, the ' +
      'request is rejected and nothing is stored. A project has one repository: connecting another one replaces it and ' +
      'keeps the publishing rules.',
    schemas: { params: ProjectParams, body: ConnectRepositoryBody, responses: { 200: RepositorySchema } },
    requiresRecentSignIn: true,
    async handle({ projectId, body, actor }) {
      const before = await repositories.find(projectId)
      const repository = toRepositoryInput(body, before?.publishing ?? {})
      const connected = await codeHosts.connect(projectId, repository, body.token, actor)
      return createResponse(200, toRepositoryResponse(connected, codeHosts.defaultTemplates))
    },
  })
}
