import Type from 'typebox'
import { Problem } from '../../platform/http/problem.ts'
import type { RepositoryStore } from '../../projects/repository-store.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import type { CodeHosts } from './code-hosts.ts'
import { BranchName, DocsFolder, PublishingChanges, RepositorySchema, toResponse } from './repository.ts'

const Changes = Type.Partial(
  Type.Object({ baseBranch: BranchName, docsFolder: DocsFolder, publishing: PublishingChanges }),
  {
    additionalProperties: false,
    minProperties: 1,
    examples: [{ baseBranch: 'main', publishing: { titleTemplate: 'docs: {title}', labels: ['docs'] } }],
  },
)

export function changeRepositoryRoute({
  repositories,
  codeHosts,
}: {
  repositories: RepositoryStore
  codeHosts: CodeHosts
}): Route {
  return route({
    method: 'PATCH',
    url: '/v2/projects/:projectId/repository',
    access: 'project:write',
    name: 'changeRepository',
    tag: 'Projects',
    summary: 'Change where in its repository a project works, and how it publishes',
    description: 'What is left out stays. Holds from the next turn on.',
    schemas: { params: ProjectParams, body: Changes, responses: { 200: RepositorySchema } },
    refuses: ['project_not_ready'],
    async handle({ projectId, body, actor }) {
      const { defaultTemplates, problemsOfTemplates } = codeHosts
      const { branchTemplate, titleTemplate, bodyTemplate } = body.publishing ?? {}
      const [wrong, ...others] = problemsOfTemplates({
        branch: branchTemplate ?? defaultTemplates.branch,
        title: titleTemplate ?? defaultTemplates.title,
        body: bodyTemplate ?? defaultTemplates.body,
      })
      if (wrong) throw new Problem('invalid_request', [wrong, ...others].join(' '))
      return respond(200, toResponse(await repositories.change(projectId, body, actor), defaultTemplates))
    },
  })
}
