import Type from 'typebox'
import type { RepositoryStore } from '../../projects/repository-store.ts'
import { type Route, respond, route } from '../route.ts'
import { nullable, ProjectParams } from '../schemas.ts'
import type { CodeHosts } from './code-hosts.ts'
import { RepositorySchema, toRepositoryResponse } from './repository.ts'

export function getRepositoryRoute(deps: { repositories: RepositoryStore; codeHosts: CodeHosts }): Route {
  return route({
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
      return respond(200, {
        repository: repository ? toRepositoryResponse(repository, deps.codeHosts.defaultTemplates) : null,
      })
    },
  })
}
