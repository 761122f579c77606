import Type from 'typebox'
import type { RepositoryStore } from '../../projects/repository-store.ts'
import { type Route, respond, route } from '../route.ts'
import { nullable, ProjectParams } from '../schemas.ts'
import type { CodeHosts } from './code-hosts.ts'
import { RepositorySchema, toResponse } from './repository.ts'

export function getRepositoryRoute(parts: { repositories: RepositoryStore; codeHosts: CodeHosts }): Route {
  return route({
    method: 'GET',
    url: '/v2/projects/:projectId/repository',
    access: 'project:read',
    name: 'getRepository',
    tag: 'Projects',
    summary: "A project's repository",
    schemas: {
      params: ProjectParams,
      responses: {
        200: Type.Object({ repository: nullable(RepositorySchema, { description: 'Null: none is connected yet.' }) }),
      },
    },
    async handle({ projectId }) {
      const repository = await parts.repositories.find(projectId)
      return respond(200, { repository: repository ? toResponse(repository, parts.codeHosts.defaultTemplates) : null })
    },
  })
}
