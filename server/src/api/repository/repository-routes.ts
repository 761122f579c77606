import Type from 'typebox'
import { Problem } from '../../platform/http/problem.ts'
import { createResponse } from '../../platform/http/route.ts'
import type { RepositoryStore } from '../../projects/repository-store.ts'
import { defineRoute, type Route } from '../route.ts'
import { nullable, ProjectParams } from '../schemas.ts'
import {
  BranchName,
  ConnectRepositoryBody,
  DocsFolder,
  PublishingRulesChanges,
  PublishingSettingsChanges,
  RepositorySchema,
  RepositoryTestResultSchema,
  toRepositoryInput,
  toRepositoryResponse,
} from './repository.ts'
import type { RepositoryConnector } from './repository-connector.ts'

const Changes = Type.Partial(
  Type.Object({
    baseBranch: BranchName,
    docsFolder: DocsFolder,
    publishing: PublishingSettingsChanges,
  }),
  {
    additionalProperties: false,
    minProperties: 1,
    examples: [{ baseBranch: 'main', publishing: { titleTemplate: 'docs: {title}', labels: ['docs'] } }],
  },
)

export interface RepositoryRouteDeps {
  repositories: RepositoryStore
  codeHosts: RepositoryConnector
}

export const repositoryRoutes = ({ repositories, codeHosts }: RepositoryRouteDeps): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/v2/projects/:projectId/repository',
    access: 'project:read',
    name: 'getRepository',
    tag: 'Projects',
    summary: 'Get the repository',
    description: 'Returns the repository that a project is connected to, and whether Colophon can work with it.',
    schemas: {
      params: ProjectParams,
      responses: {
        200: Type.Object({
          repository: nullable(RepositorySchema, {
            description: 'Repository of the project. Null if no repository is connected yet.',
          }),
        }),
      },
    },
    async handle({ projectId }) {
      const repository = await repositories.find(projectId)
      return createResponse(200, {
        repository: repository ? toRepositoryResponse(repository, codeHosts.defaultTemplates) : null,
      })
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/v2/projects/:projectId/repository/test',
    access: 'project:write',
    name: 'testRepository',
    tag: 'Projects',
    summary: 'Test a repository connection',
    description:
      'Tests a connection to a repository without storing anything. A failed test is a 200 response with `ok: false` and ' +
      'a `message` that says what to do.',
    schemas: { params: ProjectParams, body: ConnectRepositoryBody, responses: { 200: RepositoryTestResultSchema } },
    handle: async ({ body }) => createResponse(200, await codeHosts.test(toRepositoryInput(body, {}), body.token)),
  }),
  defineRoute({
    method: 'POST',
    url: '/v2/projects/:projectId/repository',
    access: 'project:write',
    name: 'connectRepository',
    tag: 'Projects',
    summary: 'Connect a repository',
    description:
      'Connects the project to a repository with an access token. The connection is tested first; if the test fails, the ' +
      'request is rejected and nothing is stored. A project has one repository: connecting another one replaces it and ' +
      'keeps the pull request settings. Publishing rules about paths are reset, because they were meant for the other one.',
    schemas: { params: ProjectParams, body: ConnectRepositoryBody, responses: { 200: RepositorySchema } },
    requiresRecentSignIn: true,
    async handle({ projectId, body, actor }) {
      const before = await repositories.find(projectId)
      const repository = toRepositoryInput(body, before?.publishing ?? {})
      const connected = await codeHosts.connect(projectId, repository, body.token, actor)
      return createResponse(200, toRepositoryResponse(connected, codeHosts.defaultTemplates))
    },
  }),
  defineRoute({
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
  }),
  defineRoute({
    method: 'PATCH',
    url: '/v2/projects/:projectId/repository/rules',
    access: 'project:write',
    name: 'changePublishingRules',
    tag: 'Projects',
    summary: 'Change the publishing rules',
    description:
      'Changes what agents may change in the repository, and what a person has to approve before it is pushed. Only an owner ' +
      'who signed in recently can do this; API keys cannot, so that a leaked key cannot weaken the rules. Omitted fields stay as ' +
      'they are. Changes take effect from the next turn, and for results that are not published yet.',
    schemas: { params: ProjectParams, body: PublishingRulesChanges, responses: { 200: RepositorySchema } },
    requiresRecentSignIn: true,
    problems: ['project_not_ready'],
    async handle({ projectId, caller, body, actor }) {
      if (caller.kind === 'key')
        throw new Problem('insufficient_scope', 'An API key cannot change the publishing rules. Sign in as an owner.')
      return createResponse(
        200,
        toRepositoryResponse(await repositories.changeRules(projectId, body, actor), codeHosts.defaultTemplates),
      )
    },
  }),
]
