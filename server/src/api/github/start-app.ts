import Type from 'typebox'
import type { GithubVisitStore } from '../../github/authorization-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import { type Route, respond, route } from '../route.ts'
import { GithubBaseUrl, plainBaseUrl } from './app.ts'
import { appManifest } from './app-manifest.ts'
import type { GithubDoor } from './github-door.ts'

export function startGithubAppRoute({
  visits,
  github,
  publicUrl,
}: {
  visits: GithubVisitStore
  github: GithubDoor
  publicUrl: string
}): Route {
  return route({
    method: 'POST',
    url: '/v2/github/apps/start',
    access: 'operator',
    name: 'startGithubApp',
    tag: 'Service',
    summary: 'Start to make a GitHub App for the installation',
    description:
      'The browser posts a form with the field `manifest` to `action`. GitHub asks, makes the App, and sends the ' +
      "browser to the dashboard's page `/github/app-made`.",
    schemas: {
      body: Type.Object(
        {
          baseUrl: GithubBaseUrl,
          organization: Type.Optional(
            Type.String({
              pattern: '^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})$',
              description: 'Whose App it will be. Left out: that of whoever is signed in to GitHub.',
            }),
          ),
        },
        { additionalProperties: false, examples: [{ baseUrl: 'https://github.com', organization: 'acme' }] },
      ),
      responses: { 200: Type.Object({ action: Type.String(), manifest: Type.String({ description: 'JSON.' }) }) },
    },
    wantsFreshSession: true,
    async handle({ body: { baseUrl: typed, organization }, session }) {
      const baseUrl = plainBaseUrl(typed)
      if (!github.baseUrls.includes(baseUrl))
        throw new Problem(
          'invalid_request',
          `Apps can be made at ${github.baseUrls.join(', ')}: COLOPHON_GITHUB_URLS in the settings says where.`,
        )
      const state = await visits.start({ personId: session.person.id, projectId: null }, baseUrl)
      const owner = organization === undefined ? '' : `/organizations/${organization}`
      return respond(200, {
        action: `${baseUrl}${owner}/settings/apps/new?state=${state}`,
        manifest: JSON.stringify(appManifest(publicUrl, baseUrl)),
      })
    },
  })
}
