import type { GithubAuthorizationStore } from '../../github/authorization-store.ts'
import { RepositoryTestSchema } from '../repository/repository.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { authorizationOwnerOf } from './authorization-owner.ts'
import { ChosenRepository, findChosenRepository } from './chosen-repository.ts'
import type { GithubConnector } from './github-connector.ts'

export function testGithubRepositoryRoute({
  authorizations,
  github,
}: {
  authorizations: GithubAuthorizationStore
  github: GithubConnector
}): Route {
  return route({
    method: 'POST',
    url: '/v2/projects/:projectId/github/repository/test',
    access: 'project:write',
    name: 'testGithubRepository',
    tag: 'Projects',
    summary: 'Test a GitHub repository',
    description:
      'Tests a repository of an authorization without storing anything. A failed test is a 200 response with `ok: false` ' +
      'and a `message` that says what to do.',
    schemas: { params: ProjectParams, body: ChosenRepository, responses: { 200: RepositoryTestSchema } },
    async handle({ projectId, caller, body }) {
      const { authorizationId } = await findChosenRepository(
        authorizations,
        authorizationOwnerOf(caller, projectId),
        body,
      )
      return respond(200, await github.testRepository(authorizationId, body))
    },
  })
}
