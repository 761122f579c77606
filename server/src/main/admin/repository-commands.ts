import type { RepositoryInput } from '../../api/repository/repository-connector.ts'
import { defaultPublishingTemplates, validateTemplates } from '../../code-hosts/text/pull-request-text.ts'
import { loadCredentialCommandConfig } from '../../platform/config.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { PublishingSettings } from '../../projects/publishing-settings.ts'
import { type CommandGroup, defineCommand } from '../command-line.ts'
import { UsageError } from '../usage-error.ts'
import { connectRepository } from '../use-cases/connect-repository.ts'
import { note, operator, printFields, project, readStdin, withStores } from './admin-io.ts'
import { createTextParser, parseCodeHost, parseCommaSeparatedList, parseRepositoryName } from './option-parsers.ts'

export const repositoryCommands = {
  'repository connect': defineCommand({
    summary: 'Connect a project to a repository on Gitea, Forgejo or GitHub',
    description:
      "The code host's access token is read from standard input. The connection is tested before it is saved.",
    options: {
      project,
      host: {
        placeholder: 'HOST',
        description: 'gitea (also for Forgejo) or github',
        required: true,
        parse: parseCodeHost,
      },
      url: { placeholder: 'URL', description: 'URL of the code host', required: true, parse: createTextParser(500) },
      repository: {
        placeholder: 'OWNER/NAME',
        description: 'The repository',
        required: true,
        parse: parseRepositoryName,
      },
      branch: {
        placeholder: 'NAME',
        description: 'Branch that pull requests are merged into',
        required: true,
        parse: createTextParser(200),
      },
      'docs-folder': { placeholder: 'PATH', description: 'Folder of the docs; the whole repository if omitted' },
      labels: {
        placeholder: 'LIST',
        description: 'Comma-separated labels of pull requests',
        parse: parseCommaSeparatedList,
      },
      reviewers: {
        placeholder: 'LIST',
        description: 'Comma-separated reviewers of pull requests',
        parse: parseCommaSeparatedList,
      },
      draft: { description: 'Open pull requests as drafts' },
      'sign-off': { description: 'Add a Signed-off-by line to commits' },
      'branch-template': { placeholder: 'TEXT', description: 'Template for names of branches' },
      'title-template': { placeholder: 'TEXT', description: 'Template for titles of pull requests' },
      'body-template': { placeholder: 'TEXT', description: 'Template for bodies of pull requests' },
    },
    async run(options) {
      const input: RepositoryInput = {
        host: options.host,
        owner: options.repository.owner,
        name: options.repository.name,
        baseUrl: options.url.replace(/\/+$/, ''),
        baseBranch: options.branch,
        docsFolder: (options['docs-folder'] ?? '').replace(/^\/+|\/+$/g, ''),
        publishing: publishingSettings(options),
      }
      const config = loadCredentialCommandConfig()
      const token = await readToken()
      await withStores(async (stores) => {
        const { id: projectId } = await stores.projects.get(options.project)
        note((await connectRepository({ stores, config, projectId, input, token, actor: operator })).message)
      })
    },
  }),

  'repository show': defineCommand({
    summary: 'Show the repository of a project',
    options: { project },
    run: (options) =>
      withStores(async (stores) => {
        const { id } = await stores.projects.get(options.project)
        const repository = await stores.repositories.find(id)
        if (!repository)
          throw new Problem(
            'not_found',
            'The project has no repository. To connect one, run: colophon-server admin repository connect',
          )
        printFields({
          host: repository.host,
          url: repository.baseUrl,
          repository: `${repository.owner}/${repository.name}`,
          branch: repository.baseBranch,
          'docs-folder': repository.docsFolder || '(whole repository)',
          access:
            repository.access.kind === 'token'
              ? 'token'
              : `GitHub App installation ${repository.access.installationId}`,
          issue: repository.issue ?? 'none',
          ...publishingFields(repository.publishing),
        })
      }),
  }),
} satisfies CommandGroup['commands']

async function readToken(): Promise<string> {
  const token = await readStdin("the code host's access token")
  if (!token) throw new UsageError('Missing access token: pass it on standard input.')
  return token
}

function publishingSettings(options: {
  readonly labels: string[] | undefined
  readonly reviewers: string[] | undefined
  readonly draft: boolean | undefined
  readonly 'sign-off': boolean | undefined
  readonly 'branch-template': string | undefined
  readonly 'title-template': string | undefined
  readonly 'body-template': string | undefined
}): PublishingSettings {
  const { draft, 'branch-template': branch, 'title-template': title, 'body-template': body } = options
  const problems = validateTemplates({
    branch: branch ?? defaultPublishingTemplates.branch,
    title: title ?? defaultPublishingTemplates.title,
    body: body ?? defaultPublishingTemplates.body,
  })
  if (problems.length > 0) throw new UsageError(problems.join('\n'))
  return {
    ...(options.labels && { labels: options.labels }),
    ...(options.reviewers && { reviewers: options.reviewers }),
    ...(draft && { draft }),
    ...(options['sign-off'] && { signOff: true }),
    ...(branch && { branchTemplate: branch }),
    ...(title && { titleTemplate: title }),
    ...(body && { bodyTemplate: body }),
  }
}

const publishingFields = (publishing: PublishingSettings) => ({
  ...(publishing.labels && { labels: publishing.labels.join(',') }),
  ...(publishing.reviewers && { reviewers: publishing.reviewers.join(',') }),
  ...(publishing.draft && { draft: 'yes' }),
  ...(publishing.signOff && { 'sign-off': 'yes' }),
  ...(publishing.branchTemplate && { 'branch-template': publishing.branchTemplate }),
  ...(publishing.titleTemplate && { 'title-template': publishing.titleTemplate }),
  ...(publishing.bodyTemplate && { 'body-template': JSON.stringify(publishing.bodyTemplate) }),
})
