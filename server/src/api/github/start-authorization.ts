import Type from 'typebox'
import type { GithubAppStore } from '../../github/app-store.ts'
import type { GithubAuthorizationStore } from '../../github/authorization-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { requireAuthorizationOwner } from './authorization-owner.ts'
import { GithubBaseUrl, withoutTrailingSlashes } from './github-app.ts'

export function startGithubAuthorizationRoute({
  githubApps,
  authorizations,
  publicUrl,
}: {
  githubApps: GithubAppStore
  authorizations: GithubAuthorizationStore
  publicUrl: string
}): Route {
  return defineRoute({
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
  })
}
