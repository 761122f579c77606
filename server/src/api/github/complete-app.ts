import Type from 'typebox'
import type { GithubVisitStore } from '../../github/authorization-store.ts'
import { type Route, respond, route } from '../route.ts'
import { GithubAppSchema, ReturnCode, ReturnState, toResponse } from './app.ts'
import type { GithubDoor } from './github-door.ts'
import { visitIsOver } from './visitor.ts'

export function completeGithubAppRoute({ visits, github }: { visits: GithubVisitStore; github: GithubDoor }): Route {
  return route({
    method: 'POST',
    url: '/v2/github/apps/complete',
    access: 'operator',
    name: 'completeGithubApp',
    tag: 'Service',
    summary: 'Keep a GitHub App that was made',
    description:
      'With what GitHub gave the browser. Its private key and client secret are sealed when stored, and never shown. ' +
      'There is one for each GitHub: another takes its place.',
    schemas: {
      body: Type.Object(
        { code: ReturnCode, state: ReturnState },
        { additionalProperties: false, examples: [{ code: 'a-code', state: 'a-state' }] },
      ),
      responses: { 201: GithubAppSchema },
    },
    wantsFreshSession: true,
    async handle({ body, session }) {
      const visit = await visits.arrive({ personId: session.person.id, projectId: null }, body.state)
      if (!visit) throw visitIsOver()
      await visits.end(visit.id)
      return respond(201, toResponse(await github.keepApp(visit.baseUrl, body.code)))
    },
  })
}
