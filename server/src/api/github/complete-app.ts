import Type from 'typebox'
import type { GithubAuthorizationStore } from '../../github/authorization-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { invalidAuthorizationProblem } from './authorization-owner.ts'
import { GithubAppSchema, GithubRedirectCode, GithubRedirectState, toGithubAppResponse } from './github-app.ts'
import type { GithubConnector } from './github-connector.ts'

export function completeGithubAppCreationRoute({
  authorizations,
  github,
}: {
  authorizations: GithubAuthorizationStore
  github: GithubConnector
}): Route {
  return defineRoute({
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
    async handle({ body, session }) {
      const authorization = await authorizations.redeemState(
        { personId: session.person.id, projectId: null },
        body.state,
      )
      if (!authorization) throw invalidAuthorizationProblem()
      await authorizations.delete(authorization.id)
      return createResponse(201, toGithubAppResponse(await github.registerApp(authorization.baseUrl, body.code)))
    },
  })
}
