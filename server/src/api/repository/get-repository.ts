import Type from 'typebox'
import type { RepositoryStore } from '../../projects/repository-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { nullable, ProjectParams } from '../schemas.ts'
import { RepositorySchema, toRepositoryResponse } from './repository.ts'
import type { RepositoryConnector } from './repository-connector.ts'

export function getRepositoryRoute(deps: { repositories: RepositoryStore; codeHosts: RepositoryConnector }): Route {
  return defineRoute({
    method: 'GET',
    url: '/v2/projects/:projectId/repository',
    access: 'project:read',
    name: 'getRepository',
    tag: 'Projects',
    summary: 'Get the repository',
    description: 'Returns the repository that a project is connected to, and whether Colophon can work with it.',
    schemas: {
      params: ProjectParams,
      responses: {
        200: Type.Object({
          repository: nullable(RepositorySchema, {
            description: 'Repository of the project. Null if no repository is connected yet.',
          }),
        }),
      },
    },
    async handle({ projectId }) {
      const repository = await deps.repositories.find(projectId)
      return createResponse(200, {
        repository: repository ? toRepositoryResponse(repository, deps.codeHosts.defaultTemplates) : null,
      })
    },
  })
}
