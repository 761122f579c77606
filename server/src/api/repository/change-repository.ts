import Type from 'typebox'
import { Problem } from '../../platform/http/problem.ts'
import type { RepositoryStore } from '../../projects/repository-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import {
  BranchName,
  DocsFolder,
  PublishingSettingsChanges,
  RepositorySchema,
  toRepositoryResponse,
} from './repository.ts'
import type { RepositoryConnector } from './repository-connector.ts'

const Changes = Type.Partial(
  Type.Object({ baseBranch: BranchName, docsFolder: DocsFolder, publishing: PublishingSettingsChanges }),
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
  codeHosts: RepositoryConnector
}): Route {
  return defineRoute({
    method: 'PATCH',
    url: '/v2/projects/:projectId/repository',
    access: 'project:write',
    name: 'changeRepository',
    tag: 'Projects',
    summary: 'Change repository settings',
    description:
      'Changes the base branch, the docs folder, or how pull requests are opened. Omitted fields stay as they are. Changes ' +
      'take effect from the next turn.',
    schemas: { params: ProjectParams, body: Changes, responses: { 200: RepositorySchema } },
    problems: ['project_not_ready'],
    async handle({ projectId, body, actor }) {
      const { defaultTemplates, validateTemplates } = codeHosts
      const { branchTemplate, titleTemplate, bodyTemplate } = body.publishing ?? {}
      const errors = validateTemplates({
        branch: branchTemplate ?? defaultTemplates.branch,
        title: titleTemplate ?? defaultTemplates.title,
        body: bodyTemplate ?? defaultTemplates.body,
      })
      if (errors.length > 0) throw new Problem('invalid_request', errors.join(' '))
      return createResponse(
        200,
        toRepositoryResponse(await repositories.change(projectId, body, actor), defaultTemplates),
      )
    },
  })
}
