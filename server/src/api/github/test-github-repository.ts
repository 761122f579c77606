import type { GithubAuthorizationStore } from '../../github/authorization-store.ts'
import { RepositoryTestResultSchema } from '../repository/repository.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { requireAuthorizationOwner } from './authorization-owner.ts'
import { ChosenRepositoryBody, findChosenRepository } from './chosen-repository.ts'
import type { GithubConnector } from './github-connector.ts'

export function testGithubRepositoryRoute({
  authorizations,
  github,
}: {
  authorizations: GithubAuthorizationStore
  github: GithubConnector
}): Route {
  return defineRoute({
    method: 'POST',
    url: '/v2/projects/:projectId/github/repository/test',
    access: 'project:write',
    name: 'testGithubRepository',
    tag: 'Projects',
    summary: 'Test a GitHub repository',
    description:
      'Tests a repository of an authorization without storing anything. A failed test is a 200 response with `ok: false` ' +
      'and a `message` that says what to do.',
    schemas: { params: ProjectParams, body: ChosenRepositoryBody, responses: { 200: RepositoryTestResultSchema } },
    async handle({ projectId, caller, body }) {
      const { authorizationId } = await findChosenRepository(
        authorizations,
        requireAuthorizationOwner(caller, projectId),
        body,
      )
      return createResponse(200, await github.testRepository(authorizationId, body))
    },
  })
}
