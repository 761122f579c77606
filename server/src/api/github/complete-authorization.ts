import Type from 'typebox'
import type { GithubAuthorizationStore } from '../../github/authorization-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { invalidAuthorizationProblem, requireAuthorizationOwner } from './authorization-owner.ts'
import { GithubRedirectCode, GithubRedirectState } from './github-app.ts'
import type { GithubConnector } from './github-connector.ts'

const GithubRepository = Type.Object(
  {
    id: Type.Integer({
      description: 'ID of the repository on GitHub. It stays the same when the repository is renamed.',
    }),
    owner: Type.String({ description: 'User or organization that owns the repository.' }),
    name: Type.String({ description: 'Name of the repository.' }),
    defaultBranch: Type.String({ description: 'Default branch of the repository.' }),
    isPrivate: Type.Boolean({ description: 'Whether the repository is private.' }),
  },
  {
    $id: 'GithubRepository',
    description: 'A repository on GitHub that can be connected to a project.',
    examples: [{ id: 1_296_269, owner: 'acme', name: 'handbook', defaultBranch: 'main', isPrivate: true }],
  },
)

const GithubRepositoryList = Type.Object(
  {
    authorizationId: Type.String({
      description: 'ID of the authorization. Send it to connect one of the repositories, within 15 minutes.',
      examples: ['gha_01m7ej4e7qf8b2x9k6w5s3t0vn'],
    }),
    repositories: Type.Array(GithubRepository, {
      description: 'Repositories that the App has access to and that you may write to.',
    }),
  },
  { $id: 'GithubRepositoryList', description: 'Repositories on GitHub that you can connect to the project.' },
)

export function completeGithubAuthorizationRoute({
  authorizations,
  github,
}: {
  authorizations: GithubAuthorizationStore
  github: GithubConnector
}): Route {
  return defineRoute({
    method: 'POST',
    url: '/v2/projects/:projectId/github/authorizations/complete',
    access: 'project:write',
    name: 'completeGithubAuthorization',
    tag: 'Projects',
    summary: 'Finish a GitHub authorization',
    description:
      'Send the query parameters with which GitHub redirected the browser. Returns the repositories that the App has ' +
      'access to and that you may write to. The `installation_id` of GitHub is not used, because anyone can forge it in a ' +
      'URL.',
    schemas: {
      params: ProjectParams,
      body: Type.Object(
        { state: GithubRedirectState, code: GithubRedirectCode },
        {
          additionalProperties: false,
          examples: [{ state: '7v2mQk0sXc5dLh2gRj8aFu4eKo6iZtP9WqEwN3pT0vQ', code: '5a1b9e7c3d2f4e6a8b0c' }],
        },
      ),
      responses: { 200: GithubRepositoryList },
    },
    async handle({ projectId, caller, body }) {
      const owner = requireAuthorizationOwner(caller, projectId)
      const authorization = await authorizations.redeemState(owner, body.state)
      if (!authorization) throw invalidAuthorizationProblem()
      await github.exchangeCode(authorization, body.code)
      const found = await authorizations.findRepositories(owner, authorization.id)
      if (!found) throw invalidAuthorizationProblem()
      const repositories = found.repositories.map(({ installationId, ...repository }) => repository)
      return createResponse(200, { authorizationId: authorization.id, repositories })
    },
  })
}
