import type { GithubVisitStore } from '../../github/authorization-store.ts'
import { RepositoryTestSchema } from '../repository/repository.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { ChosenRepository, findChosen } from './chosen-repository.ts'
import type { GithubDoor } from './github-door.ts'
import { visitorOf } from './visitor.ts'

export function testGithubRepositoryRoute({ visits, github }: { visits: GithubVisitStore; github: GithubDoor }): Route {
  return route({
    method: 'POST',
    url: '/v2/projects/:projectId/github/repository/test',
    access: 'project:write',
    name: 'testGithubRepository',
    tag: 'Projects',
    summary: 'Test a repository that was chosen on GitHub',
    description: 'Nothing is stored. What does not work is an answer too, with what to do about it.',
    schemas: { params: ProjectParams, body: ChosenRepository, responses: { 200: RepositoryTestSchema } },
    async handle({ projectId, caller, body }) {
      const { authorizationId } = await findChosen(visits, visitorOf(caller, projectId), body)
      return respond(200, await github.test(authorizationId, body))
    },
  })
}
