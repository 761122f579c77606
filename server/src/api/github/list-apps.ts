import Type from 'typebox'
import type { GithubAppStore } from '../../github/app-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { GithubAppSchema, GithubBaseUrl, toGithubAppResponse } from './github-app.ts'
import type { GithubConnector } from './github-connector.ts'

export function listGithubAppsRoute({
  githubApps,
  github,
}: {
  githubApps: GithubAppStore
  github: GithubConnector
}): Route {
  return defineRoute({
    method: 'GET',
    url: '/v2/github/apps',
    access: 'session',
    name: 'listGithubApps',
    tag: 'Service',
    summary: 'List GitHub Apps',
    description: 'Returns the GitHub Apps of this instance, and where Apps can be created.',
    schemas: {
      responses: {
        200: Type.Object({
          apps: Type.Array(GithubAppSchema, { description: 'GitHub Apps of this instance.' }),
          baseUrls: Type.Array(GithubBaseUrl, {
            description: 'URLs of GitHub for which an operator can create an App.',
          }),
        }),
      },
    },
    handle: async () =>
      createResponse(200, { apps: (await githubApps.list()).map(toGithubAppResponse), baseUrls: [...github.baseUrls] }),
  })
}
