/** Connecting a repository through the GitHub App: authorize on GitHub, then choose one of the repositories. */
import Type from 'typebox'
import type { GithubAppStore } from '../../github/app-store.ts'
import type { GithubAuthorizationStore } from '../../github/authorization-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import { createResponse } from '../../platform/http/route.ts'
import type { RepositoryStore } from '../../projects/repository-store.ts'
import { RepositorySchema, RepositoryTestResultSchema, toRepositoryResponse } from '../repository/repository.ts'
import type { RepositoryConnector } from '../repository/repository-connector.ts'
import { defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { invalidAuthorizationProblem, requireAuthorizationOwner } from './authorization-owner.ts'
import { ChosenRepositoryBody, findChosenRepository } from './chosen-repository.ts'
import { GithubBaseUrl, GithubRedirectCode, GithubRedirectState, withoutTrailingSlashes } from './github-app.ts'
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

export interface GithubRepositoryRouteDeps {
  githubApps: GithubAppStore
  authorizations: GithubAuthorizationStore
  github: GithubConnector
  repositories: RepositoryStore
  codeHosts: RepositoryConnector
  publicUrl: string
}

export const githubRepositoryRoutes = ({
  githubApps,
  authorizations,
  github,
  repositories,
  codeHosts,
  publicUrl,
}: GithubRepositoryRouteDeps): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/v2/projects/:projectId/github/authorizations',
    access: 'project:write',
    name: 'startGithubAuthorization',
    tag: 'Projects',
    summary: 'Start a GitHub authorization',
    description:
      'Returns where to send the browser to choose repositories on GitHub: to `installUrl` to give the App access to ' +
      'repositories, or to `authorizeUrl` if it has access already. GitHub then redirects the browser to ' +
      '`/github/installed` on the dashboard. Requires a signed-in person: API keys cannot do this.',
    schemas: {
      params: ProjectParams,
      body: Type.Object(
        { baseUrl: GithubBaseUrl },
        { additionalProperties: false, examples: [{ baseUrl: 'https://github.com' }] },
      ),
      responses: {
        200: Type.Object({
          installUrl: Type.String({
            description: 'URL on GitHub where the person installs the App and chooses repositories.',
            examples: [
              'https://github.com/apps/colophon-docs-example-com/installations/new?state=7v2mQk0sXc5dLh2gRj8aFu4eKo6iZtP9WqEwN3pT0vQ',
            ],
          }),
          authorizeUrl: Type.String({
            description: 'URL on GitHub where the person authorizes the App, if it is installed already.',
            examples: [
              'https://github.com/login/oauth/authorize?client_id=Iv1.8a61f9b3a7aba766&state=7v2mQk0sXc5dLh2gRj8aFu4eKo6iZtP9WqEwN3pT0vQ',
            ],
          }),
        }),
      },
    },
    problems: ['project_not_ready'],
    async handle({ projectId, caller, body }) {
      const owner = requireAuthorizationOwner(caller, projectId)
      const app = await githubApps.find(withoutTrailingSlashes(body.baseUrl))
      if (!app)
        throw new Problem(
          'project_not_ready',
          'There is no GitHub App for this URL yet. Ask an operator of this instance to create one.',
        )
      const state = await authorizations.start(owner, app.baseUrl)
      const authorize = { client_id: app.clientId, redirect_uri: `${publicUrl}/github/installed`, state }
      return createResponse(200, {
        installUrl: `${app.url}/installations/new?${new URLSearchParams({ state })}`,
        authorizeUrl: `${app.baseUrl}/login/oauth/authorize?${new URLSearchParams(authorize)}`,
      })
    },
  }),
  defineRoute({
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
  }),
  defineRoute({
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
  }),
  defineRoute({
    method: 'POST',
    url: '/v2/projects/:projectId/github/repository',
    access: 'project:write',
    name: 'connectGithubRepository',
    tag: 'Projects',
    summary: 'Connect a GitHub repository',
    description:
      'Connects the project to a repository of an authorization, through the GitHub App. The connection is tested first; ' +
      'if the test fails, the request is rejected and nothing is stored. A project has one repository: connecting another ' +
      'one replaces it and keeps the pull request settings.',
    schemas: { params: ProjectParams, body: ChosenRepositoryBody, responses: { 200: RepositorySchema } },
    requiresRecentSignIn: true,
    async handle({ projectId, caller, body, actor }) {
      const { authorizationId, baseUrl, repository } = await findChosenRepository(
        authorizations,
        requireAuthorizationOwner(caller, projectId),
        body,
      )
      const test = await github.testRepository(authorizationId, body)
      if (!test.ok) throw new Problem('invalid_request', test.message)
      const before = await repositories.find(projectId)
      const connection = {
        host: 'github' as const,
        baseUrl,
        owner: repository.owner,
        name: repository.name,
        access: { kind: 'installation' as const, installationId: repository.installationId },
        hostRepositoryId: repository.id,
        baseBranch: body.baseBranch,
        docsFolder: body.docsFolder,
        publishing: before?.publishing ?? {},
      }
      const connected = await repositories.connect(projectId, connection, actor)
      await authorizations.delete(authorizationId)
      return createResponse(200, toRepositoryResponse(connected, codeHosts.defaultTemplates))
    },
  }),
]
