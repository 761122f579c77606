import Type from 'typebox'
import type { GithubAuthorizationStore } from '../../github/authorization-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { createAppManifest } from './app-manifest.ts'
import { GithubBaseUrl, withoutTrailingSlashes } from './github-app.ts'
import type { GithubConnector } from './github-connector.ts'

export function startGithubAppCreationRoute({
  authorizations,
  github,
  publicUrl,
}: {
  authorizations: GithubAuthorizationStore
  github: GithubConnector
  publicUrl: string
}): Route {
  return defineRoute({
    method: 'POST',
    url: '/v2/github/apps/start',
    access: 'operator',
    name: 'startGithubApp',
    tag: 'Service',
    summary: 'Start creating a GitHub App',
    description:
      'Returns what the browser has to submit to create a GitHub App for this instance: a POST form with the field ' +
      '`manifest`, sent to `action`. ' +
      'GitHub asks for confirmation, creates the App, and redirects the browser to `/github/app-created` on the dashboard.',
    schemas: {
      body: Type.Object(
        {
          baseUrl: GithubBaseUrl,
          organization: Type.Optional(
            Type.String({
              pattern: '^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})$',
              description:
                'Organization on GitHub that will own the App. Omitted: the account that is signed in to GitHub.',
            }),
          ),
        },
        { additionalProperties: false, examples: [{ baseUrl: 'https://github.com', organization: 'acme' }] },
      ),
      responses: {
        200: Type.Object({
          action: Type.String({
            description: 'URL on GitHub to post the form to.',
            examples: [
              'https://github.com/organizations/acme/settings/apps/new?state=7v2mQk0sXc5dLh2gRj8aFu4eKo6iZtP9WqEwN3pT0vQ',
            ],
          }),
          manifest: Type.String({
            description: 'Value of the form field `manifest`: the App to create, as JSON.',
            examples: [JSON.stringify(createAppManifest('https://colophon.example.com', 'https://github.com'))],
          }),
        }),
      },
    },
    requiresRecentSignIn: true,
    async handle({ body: { baseUrl: typed, organization }, session }) {
      const baseUrl = withoutTrailingSlashes(typed)
      if (!github.baseUrls.includes(baseUrl))
        throw new Problem(
          'invalid_request',
          `Apps can be created only at ${github.baseUrls.join(', ')}. To add a URL, set COLOPHON_GITHUB_URLS.`,
        )
      const state = await authorizations.start({ personId: session.person.id, projectId: null }, baseUrl)
      const owner = organization === undefined ? '' : `/organizations/${organization}`
      return createResponse(200, {
        action: `${baseUrl}${owner}/settings/apps/new?state=${state}`,
        manifest: JSON.stringify(createAppManifest(publicUrl, baseUrl)),
      })
    },
  })
}
