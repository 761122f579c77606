/** Creating the GitHub App of the instance. */
import Type from 'typebox'
import type { GithubAppStore } from '../../github/app-store.ts'
import type { GithubAuthorizationStore } from '../../github/authorization-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import { createResponse } from '../../platform/http/route.ts'
import { defineRoute, type Route } from '../route.ts'
import { createAppManifest } from './app-manifest.ts'
import { invalidAuthorizationProblem } from './authorization-owner.ts'
import {
  GithubAppSchema,
  GithubBaseUrl,
  GithubRedirectCode,
  GithubRedirectState,
  toGithubAppResponse,
  withoutTrailingSlashes,
} from './github-app.ts'
import type { GithubConnector } from './github-connector.ts'

export interface GithubAppRouteDeps {
  githubApps: GithubAppStore
  authorizations: GithubAuthorizationStore
  github: GithubConnector
  publicUrl: string
}

export const githubAppRoutes = ({ githubApps, authorizations, github, publicUrl }: GithubAppRouteDeps): Route[] => [
  defineRoute({
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
  }),
  defineRoute({
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
  }),
  defineRoute({
    method: 'POST',
    url: '/v2/github/apps/complete',
    access: 'operator',
    name: 'completeGithubApp',
    tag: 'Service',
    summary: 'Finish creating a GitHub App',
    description:
      'Registers the App that GitHub created, with the query parameters of the redirect. The private key and the client ' +
      'secret of the App are stored encrypted and never returned. There is one App for each GitHub: a new one replaces it.',
    schemas: {
      body: Type.Object(
        { code: GithubRedirectCode, state: GithubRedirectState },
        {
          additionalProperties: false,
          examples: [
            { code: 'a180b1a3d263c81bc6441d7b990bae27d4c10679', state: '7v2mQk0sXc5dLh2gRj8aFu4eKo6iZtP9WqEwN3pT0vQ' },
          ],
        },
      ),
      responses: { 201: GithubAppSchema },
    },
    requiresRecentSignIn: true,
    async handle({ actor, body, session }) {
      const authorization = await authorizations.redeemState(
        { personId: session.person.id, projectId: null },
        body.state,
      )
      if (!authorization) throw invalidAuthorizationProblem()
      await authorizations.delete(authorization.id)
      return createResponse(201, toGithubAppResponse(await github.registerApp(authorization.baseUrl, body.code, actor)))
    },
  }),
]
