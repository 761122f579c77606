import Type from 'typebox'
import type { GithubVisitStore } from '../../github/authorization-store.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { ReturnCode, ReturnState } from './app.ts'
import type { GithubDoor } from './github-door.ts'
import { visitIsOver, visitorOf } from './visitor.ts'

const GithubRepository = Type.Object(
  {
    id: Type.Integer({ description: "GitHub's own number: it stays when the name changes." }),
    owner: Type.String(),
    name: Type.String(),
    defaultBranch: Type.String(),
    isPrivate: Type.Boolean(),
  },
  { $id: 'GithubRepository' },
)

const GithubRepositoryList = Type.Object(
  {
    authorizationId: Type.String({ description: 'To connect one of them with, within 15 minutes.' }),
    repositories: Type.Array(GithubRepository),
  },
  { $id: 'GithubRepositoryList' },
)

export function completeGithubAuthorizationRoute({
  visits,
  github,
}: {
  visits: GithubVisitStore
  github: GithubDoor
}): Route {
  return route({
    method: 'POST',
    url: '/v2/projects/:projectId/github/authorizations/complete',
    access: 'project:write',
    name: 'completeGithubAuthorization',
    tag: 'Projects',
    summary: 'Come back from GitHub',
    description:
      "Answers with the repositories that the App was let into and that GitHub says you may write to. GitHub's " +
      '`installation_id` is not taken: anybody can write one into an address.',
    schemas: {
      params: ProjectParams,
      body: Type.Object(
        { state: ReturnState, code: ReturnCode },
        { additionalProperties: false, examples: [{ state: 'a-state', code: 'a-code' }] },
      ),
      responses: { 200: GithubRepositoryList },
    },
    async handle({ projectId, caller, body }) {
      const visitor = visitorOf(caller, projectId)
      const visit = await visits.arrive(visitor, body.state)
      if (!visit) throw visitIsOver()
      await github.exchange(visit, body.code)
      const found = await visits.found(visitor, visit.id)
      if (!found) throw visitIsOver()
      const repositories = found.repositories.map(({ installationId, ...shown }) => shown)
      return respond(200, { authorizationId: visit.id, repositories })
    },
  })
}
