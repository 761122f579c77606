import { randomBytes } from 'node:crypto'
import type { GithubVisitStore } from '../../github/authorization-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { RepositoryStore } from '../../projects/repository-store.ts'
import type { CodeHosts } from '../repository/code-hosts.ts'
import { RepositorySchema, toResponse } from '../repository/repository.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { ChosenRepository, findChosen } from './chosen-repository.ts'
import type { GithubDoor } from './github-door.ts'
import { visitorOf } from './visitor.ts'

export function connectGithubRepositoryRoute({
  visits,
  github,
  repositories,
  codeHosts,
}: {
  visits: GithubVisitStore
  github: GithubDoor
  repositories: RepositoryStore
  codeHosts: CodeHosts
}): Route {
  return route({
    method: 'POST',
    url: '/v2/projects/:projectId/github/repository',
    access: 'project:write',
    name: 'connectGithubRepository',
    tag: 'Projects',
    summary: 'Connect a project to a repository that was chosen on GitHub',
    description:
      'Tested first; what does not work is refused and nothing is stored. A project has one repository: connecting ' +
      'another takes its place, and keeps the publishing rules.',
    schemas: { params: ProjectParams, body: ChosenRepository, responses: { 200: RepositorySchema } },
    wantsFreshSession: true,
    async handle({ projectId, caller, body, actor }) {
      const { authorizationId, baseUrl, repository } = await findChosen(visits, visitorOf(caller, projectId), body)
      const test = await github.test(authorizationId, body)
      if (!test.ok) throw new Problem('invalid_request', test.message)
      const before = await repositories.find(projectId)
      const connected = {
        host: 'github' as const,
        baseUrl,
        owner: repository.owner,
        name: repository.name,
        access: { kind: 'installation' as const, installationId: repository.installationId },
        hostRepositoryId: repository.id,
        baseBranch: body.baseBranch,
        docsFolder: body.docsFolder,
        publishing: before?.publishing ?? {},
        webhookSecret: randomBytes(32).toString('hex'), // never given to anybody: the App has a webhook for all
      }
      await repositories.connect(projectId, connected, actor)
      await visits.end(authorizationId)
      return respond(200, toResponse({ ...connected, issue: null }, codeHosts.defaultTemplates))
    },
  })
}
