import Type from 'typebox'
import type { GithubAppStore } from '../../github/app-store.ts'
import { type Route, respond, route } from '../route.ts'
import { GithubAppSchema, GithubBaseUrl, toResponse } from './app.ts'
import type { GithubDoor } from './github-door.ts'

export function listGithubAppsRoute({ githubApps, github }: { githubApps: GithubAppStore; github: GithubDoor }): Route {
  return route({
    method: 'GET',
    url: '/v2/github/apps',
    access: 'session',
    name: 'listGithubApps',
    tag: 'Service',
    summary: "The installation's GitHub Apps",
    schemas: {
      responses: {
        200: Type.Object({
          apps: Type.Array(GithubAppSchema),
          baseUrls: Type.Array(GithubBaseUrl, { description: 'Where an App can be made.' }),
        }),
      },
    },
    handle: async () =>
      respond(200, { apps: (await githubApps.list()).map(toResponse), baseUrls: [...github.baseUrls] }),
  })
}
