import Type from 'typebox'
import type { GithubAppStore } from '../../github/app-store.ts'
import type { GithubVisitStore } from '../../github/authorization-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { GithubBaseUrl, plainBaseUrl } from './app.ts'
import { visitorOf } from './visitor.ts'

export function startGithubAuthorizationRoute({
  githubApps,
  visits,
  publicUrl,
}: {
  githubApps: GithubAppStore
  visits: GithubVisitStore
  publicUrl: string
}): Route {
  return route({
    method: 'POST',
    url: '/v2/projects/:projectId/github/authorizations',
    access: 'project:write',
    name: 'startGithubAuthorization',
    tag: 'Projects',
    summary: 'Go to GitHub to choose a repository',
    description:
      'By `installUrl` to let the App into repositories, by `authorizeUrl` if it is already. GitHub then sends the ' +
      "browser to the dashboard's page `/github/installed`. For people who are signed in, not for keys.",
    schemas: {
      params: ProjectParams,
      body: Type.Object(
        { baseUrl: GithubBaseUrl },
        { additionalProperties: false, examples: [{ baseUrl: 'https://github.com' }] },
      ),
      responses: { 200: Type.Object({ installUrl: Type.String(), authorizeUrl: Type.String() }) },
    },
    refuses: ['project_not_ready'],
    async handle({ projectId, caller, body }) {
      const visitor = visitorOf(caller, projectId)
      const app = await githubApps.find(plainBaseUrl(body.baseUrl))
      if (!app)
        throw new Problem(
          'project_not_ready',
          'There is no GitHub App for this address yet: whoever runs the installation makes it.',
        )
      const state = await visits.start(visitor, app.baseUrl)
      const authorize = { client_id: app.clientId, redirect_uri: `${publicUrl}/github/installed`, state }
      return respond(200, {
        installUrl: `${app.url}/installations/new?${new URLSearchParams({ state })}`,
        authorizeUrl: `${app.baseUrl}/login/oauth/authorize?${new URLSearchParams(authorize)}`,
      })
    },
  })
}
