import { randomBytes } from 'node:crypto'
import type { GithubAuthorizationStore } from '../../github/authorization-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { RepositoryStore } from '../../projects/repository-store.ts'
import { RepositorySchema, toRepositoryResponse } from '../repository/repository.ts'
import type { RepositoryConnector } from '../repository/repository-connector.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { requireAuthorizationOwner } from './authorization-owner.ts'
import { ChosenRepositoryBody, findChosenRepository } from './chosen-repository.ts'
import type { GithubConnector } from './github-connector.ts'

export function connectGithubRepositoryRoute({
  authorizations,
  github,
  repositories,
  codeHosts,
}: {
  authorizations: GithubAuthorizationStore
  github: GithubConnector
  repositories: RepositoryStore
  codeHosts: RepositoryConnector
}): Route {
  return defineRoute({
    method: 'POST',
    url: '/v2/projects/:projectId/github/repository',
    access: 'project:write',
    name: 'connectGithubRepository',
    tag: 'Projects',
    summary: 'Connect a GitHub repository',
    description:
      'Connects the project to a repository of an authorization, through the GitHub App. The connection is tested first; ' +
      'if the test fails, the request is rejected and nothing is stored. A project has one repository: connecting another ' +
      'one replaces it and keeps the publishing rules.',
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
      const connected = {
        host: 'github' as const,
        baseUrl,
        owner: repository.owner,
        name: repository.name,
        access: { kind: 'installation' as const, installationId: repository.installationId },
        hostRepositoryId: repository.id,
        baseBranch: body.baseBranch,
        docsFolder: body.docsFolder,
        publishing: before?.publishing ?? {},
        // Random and shared with no one, so that no one can sign deliveries: the App has one webhook for all repositories.
        webhookSecret: randomBytes(32).toString('hex'),
      }
      await repositories.connect(projectId, connected, actor)
      await authorizations.delete(authorizationId)
      return createResponse(200, toRepositoryResponse({ ...connected, issue: null }, codeHosts.defaultTemplates))
    },
  })
}
