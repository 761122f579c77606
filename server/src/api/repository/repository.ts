import Type, { type Static } from 'typebox'
import { activeContentRules } from '../../projects/publishing-rules.ts'
import type { PublishingSettings } from '../../projects/publishing-settings.ts'
import type { Repository } from '../../projects/repository-store.ts'
import type { RepositoryIssue } from '../../projects/tables.ts'
import { siteGeneratorIds } from '../../site-generators/site-generator.ts'
import { nullable, SingleLineText } from '../schemas.ts'
import type { PublishingTemplates, RepositoryInput } from './repository-connector.ts'

/** A path inside the repository, without empty, `.` or `..` segments. */
const folderPattern =
  '(?!/)(?!(?:.*/)?\\.{1,2}(?:/|$))[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\\\]*[^/\\u0000-\\u001f\\\\]'

export const DocsFolder = Type.String({
  maxLength: 300,
  pattern: `^$|^${folderPattern}$`,
  description: 'Folder of the docs pages in the repository, for example `docs`. Empty: the whole repository.',
})

export const BranchName = SingleLineText({
  minLength: 1,
  maxLength: 200,
  description: 'Branch that pull requests are opened against.',
  examples: ['main'],
})

const Names = (description: string) =>
  Type.Array(SingleLineText({ minLength: 1, maxLength: 100 }), { maxItems: 50, uniqueItems: true, description })

const publishing = {
  branchTemplate: SingleLineText({
    minLength: 1,
    maxLength: 100,
    description: 'Template of branch names. It must contain `{jobId}`.',
  }),
  titleTemplate: SingleLineText({
    minLength: 1,
    maxLength: 100,
    description: 'Template of pull request titles. It must contain `{title}` and may contain `{jobId}`.',
  }),
  bodyTemplate: Type.String({
    minLength: 1,
    maxLength: 5_000,
    description:
      'Template of pull request descriptions, in Markdown. It must contain `{summary}` on a line of its own and may ' +
      'contain `{jobId}`.',
  }),
  labels: Names('Names of labels for pull requests. Labels that do not exist on the code host are ignored.'),
  reviewers: Names('User names on the code host of people who are asked to review pull requests.'),
  draft: Type.Boolean({ description: 'Whether pull requests are opened as drafts.' }),
  signOff: Type.Boolean({ description: 'Whether commit messages have a `Signed-off-by` line.' }),
}

const publishingExample = {
  branchTemplate: 'colophon/{jobId}',
  titleTemplate: 'docs: {title}',
  bodyTemplate: '{summary}',
  labels: ['docs'],
  reviewers: ['ada'],
  draft: false,
  signOff: false,
}

export const PublishingSettingsSchema = Type.Object(publishing, {
  $id: 'PullRequestSettings',
  description: 'How pull requests of a project are opened.',
  examples: [publishingExample],
})
export const PublishingSettingsChanges = Type.Partial(Type.Object(publishing), {
  additionalProperties: false,
  minProperties: 1,
  description: 'Changes to how pull requests are opened. Omitted fields stay as they are.',
})

const SiteGenerator = (description: string) => Type.Enum([...siteGeneratorIds], { description })

const publishingRules = {
  siteGenerator: nullable(
    SiteGenerator('Site generator, if it is recognized wrongly. `unknown`: the strictest rules apply.'),
    { description: 'Site generator that a person chose. Null: it is recognized from the repository.' },
  ),
  furtherDocsFolders: Type.Array(Type.String({ maxLength: 300, pattern: `^${folderPattern}$` }), {
    maxItems: 20,
    uniqueItems: true,
    description: 'Folders with docs pages in addition to `docsFolder`. The same rules apply to them.',
  }),
  allowedPaths: Type.Array(Type.String({ maxLength: 300, pattern: `^${folderPattern}/?$` }), {
    maxItems: 50,
    uniqueItems: true,
    description:
      'Further files that agents may change, whatever their type. A path that ends with `/` is a folder with everything in ' +
      'it, except for hidden files, which have to be named. CI configuration, CODEOWNERS, Git configuration and instructions for ' +
      'agents can never be changed.',
  }),
  activeContent: Type.Enum([...activeContentRules], {
    description:
      'What happens to a result with new content that a build or a browser would execute. `refuse`: the job fails. `hold`: ' +
      'nothing is pushed until a person approves it.',
  }),
  requireApproval: Type.Boolean({
    description: 'Whether a person has to approve every result before it is pushed.',
  }),
  fixFailedChecks: Type.Boolean({
    description:
      'Whether a failed CI check of a pull request is sent to the agent automatically, at most twice per pull request. It counts ' +
      'toward the budget like a message that a person sends.',
  }),
}

const publishingRulesExample = {
  siteGenerator: null,
  furtherDocsFolders: ['blog'],
  allowedPaths: ['openapi.yaml', 'examples/'],
  activeContent: 'hold',
  requireApproval: false,
  fixFailedChecks: false,
}

const PublishingRulesSchema = Type.Object(publishingRules, {
  $id: 'PublishingRules',
  description: 'What agents may change, and what a person has to approve before it is pushed.',
  examples: [publishingRulesExample],
})

export const PublishingRulesChanges = Type.Partial(Type.Object(publishingRules), {
  additionalProperties: false,
  minProperties: 1,
  examples: [{ allowedPaths: ['openapi.yaml', 'examples/'], activeContent: 'hold' }],
})

const Host = Type.Enum(['gitea', 'github'], { description: 'Software of the code host. `gitea` includes Forgejo.' })

export const RepositorySchema = Type.Object(
  {
    host: Host,
    url: Type.String({ description: 'URL of the code host.' }),
    owner: Type.String({ description: 'User or organization that owns the repository.' }),
    name: Type.String({
      description: 'Current name of the repository. A repository that is renamed stays connected.',
    }),
    access: Type.Enum(['token', 'app'], {
      description: 'How Colophon accesses the repository: with an access token, or as a GitHub App.',
    }),
    issue: nullable(
      Type.Object({
        code: Type.Enum(['archived', 'not_found', 'access_revoked'] satisfies RepositoryIssue[], {
          description:
            '`archived`: the repository is archived. `not_found`: it was deleted, or is no longer visible. ' +
            '`access_revoked`: the code host no longer accepts the credentials.',
        }),
        message: Type.String({ description: 'What is wrong with the repository, and what to do about it.' }),
      }),
      { description: 'Problem that keeps jobs from working with the repository. Null if none is known.' },
    ),
    baseBranch: Type.String({ description: 'Branch that pull requests are opened against.' }),
    docsFolder: Type.String({
      description: 'Folder of the docs pages in the repository. Empty: the whole repository.',
    }),
    rules: PublishingRulesSchema,
    site: nullable(
      Type.Object({
        generator: SiteGenerator('Site generator that builds the pages. `unknown` if none was recognized.'),
        configFile: nullable(Type.String(), {
          description: 'Configuration file of the site. Null if there is none.',
        }),
        pagesFolder: Type.String({ description: 'Folder of the pages of the site.' }),
      }),
      {
        description:
          'Site that was recognized on the base branch. It decides which navigation the agent can edit and what its pages may ' +
          'contain. Null until the repository has been read, usually within a minute.',
      },
    ),
    publishing: PublishingSettingsSchema,
  },
  {
    $id: 'Repository',
    description: 'The repository that a project is connected to.',
    examples: [
      {
        host: 'github',
        url: 'https://github.com',
        owner: 'acme',
        name: 'handbook',
        access: 'app',
        issue: null,
        baseBranch: 'main',
        docsFolder: 'docs',
        rules: publishingRulesExample,
        site: { generator: 'mkdocs', configFile: 'mkdocs.yml', pagesFolder: 'docs' },
        publishing: publishingExample,
      },
    ],
  },
)

/** Part of the URLs that are called: `..` or a slash would lead to other paths of the host. */
const PathSegment = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^(?!\\.{1,2}$)[^/\\\\?#%\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]+$',
    description,
  })

export const ConnectRepositoryBody = Type.Object(
  {
    host: Host,
    url: Type.String({
      maxLength: 500,
      pattern: '^https?://[^\\s?#@]+$',
      description: 'URL of the code host, for example `https://github.com`.',
    }),
    owner: PathSegment('User or organization that owns the repository.'),
    name: PathSegment('Name of the repository.'),
    baseBranch: BranchName,
    docsFolder: DocsFolder,
    token: Type.String({
      minLength: 1,
      maxLength: 1_000,
      pattern: '^[!-~]+$',
      description:
        'Access token of the code host, with write access to the repository. It is stored encrypted and never returned.',
    }),
  },
  {
    additionalProperties: false,
    examples: [
      {
        host: 'gitea',
        url: 'https://git.example.com',
        owner: 'docs',
        name: 'handbook',
        baseBranch: 'main',
        docsFolder: 'docs',
        token: 'a-token',
      },
    ],
  },
)

export const RepositoryTestResultSchema = Type.Object(
  {
    ok: Type.Boolean({ description: 'Whether Colophon can work with the repository.' }),
    message: Type.String({ description: 'Result of the test, and what to do if it failed.' }),
    found: nullable(
      Type.Object({
        defaultBranch: Type.String({ description: 'Default branch of the repository.' }),
        docsFolderExists: nullable(Type.Boolean(), {
          description: 'Whether the docs folder exists on the base branch. Null if the code host did not say.',
        }),
        pages: nullable(Type.Integer(), {
          description: 'Number of pages in the docs folder. Null if there are too many to count.',
        }),
        canManageWebhooks: Type.Boolean({
          description: 'Whether Colophon can create a webhook. If it cannot, pull requests are polled.',
        }),
      }),
      { description: 'What the test found in the repository. Null if the test failed.' },
    ),
  },
  {
    $id: 'RepositoryTest',
    description: 'Result of testing a connection to a repository.',
    examples: [
      {
        ok: true,
        message: 'Colophon can read acme/handbook and write branches and pull requests.',
        found: { defaultBranch: 'main', docsFolderExists: true, pages: 128, canManageWebhooks: true },
      },
    ],
  },
)

export const toRepositoryInput = (
  { host, url, owner, name, baseBranch, docsFolder }: Static<typeof ConnectRepositoryBody>,
  publishing: PublishingSettings,
): RepositoryInput => ({
  host,
  owner,
  name,
  baseBranch,
  docsFolder,
  publishing,
  baseUrl: url.replace(/\/+$/, ''),
})

/** Leaves the secrets out. */
export const toRepositoryResponse = (
  { host, baseUrl, owner, name, access, issue, baseBranch, docsFolder, publishing, rules, site }: Repository,
  templates: PublishingTemplates,
): Static<typeof RepositorySchema> => ({
  host,
  url: baseUrl,
  owner,
  name,
  baseBranch,
  docsFolder,
  rules: {
    ...rules,
    furtherDocsFolders: [...rules.furtherDocsFolders],
    allowedPaths: [...rules.allowedPaths],
  },
  site,
  access: access.kind === 'installation' ? 'app' : 'token',
  issue: issue && { code: issue, message: describeRepositoryIssue(issue, access) },
  publishing: {
    branchTemplate: publishing.branchTemplate ?? templates.branch,
    titleTemplate: publishing.titleTemplate ?? templates.title,
    bodyTemplate: publishing.bodyTemplate ?? templates.body,
    labels: publishing.labels ?? [],
    reviewers: publishing.reviewers ?? [],
    draft: publishing.draft ?? false,
    signOff: publishing.signOff ?? false,
  },
})

export function describeRepositoryIssue(issue: RepositoryIssue, access: Repository['access']): string {
  const isApp = access.kind === 'installation'
  switch (issue) {
    case 'archived':
      return 'The repository is archived, so nothing can be pushed. Unarchive it on the code host, or connect another one.'
    case 'not_found':
      return isApp
        ? 'The repository was deleted or transferred, or the GitHub App lost access to it. Give the App access to it, or connect another one.'
        : 'The repository was deleted, or the token lost access to it. Connect it again with a token that has access, or connect another one.'
    case 'access_revoked':
      return isApp
        ? 'The GitHub App was uninstalled or suspended. Install it again, and reconnect the repository.'
        : 'The code host no longer accepts the token. Create a new one, and connect the repository again with it.'
  }
}
