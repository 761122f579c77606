import Type, { type Static } from 'typebox'
import type { PublishingSettings } from '../../projects/publishing-settings.ts'
import type { Repository } from '../../projects/repository-store.ts'
import type { RepositoryIssue } from '../../projects/tables.ts'
import { nullable, OneLine } from '../schemas.ts'
import type { Templates, WantedRepository } from './code-hosts.ts'

/** As a path below the repository: no empty, `.` or `..` part. */
export const DocsFolder = Type.String({
  maxLength: 300,
  pattern:
    '^$|^(?!/)(?!(?:.*/)?\\.{1,2}(?:/|$))[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\\\]*[^/\\u0000-\\u001f\\\\]$',
  description: 'Where the pages are, like `docs`; empty: the whole repository.',
})

export const BranchName = OneLine({ minLength: 1, maxLength: 200, description: 'What pull requests go to.' })

const Names = (description: string) =>
  Type.Array(OneLine({ minLength: 1, maxLength: 100 }), { maxItems: 50, uniqueItems: true, description })

const publishing = {
  branchTemplate: OneLine({ minLength: 1, maxLength: 100, description: 'With `{jobId}`.' }),
  titleTemplate: OneLine({ minLength: 1, maxLength: 100, description: 'With `{title}`; `{jobId}` if wanted.' }),
  bodyTemplate: Type.String({
    minLength: 1,
    maxLength: 5_000,
    description: 'Markdown with `{summary}` on a line of its own; `{jobId}` if wanted.',
  }),
  labels: Names('By name; those that do not exist on the host are left out.'),
  reviewers: Names('User names on the host.'),
  draft: Type.Boolean({ description: 'Whether pull requests are opened as drafts.' }),
  signOff: Type.Boolean({ description: 'Whether commits carry a `Signed-off-by` line.' }),
}

export const PublishingSchema = Type.Object(publishing, { $id: 'PublishingRules' })
export const PublishingChanges = Type.Partial(Type.Object(publishing), {
  additionalProperties: false,
  minProperties: 1,
})

export const RepositorySchema = Type.Object(
  {
    host: Type.Enum(['gitea', 'github']),
    url: Type.String(),
    owner: Type.String(),
    name: Type.String({ description: 'Of today: a repository that is renamed stays connected.' }),
    access: Type.Enum(['token', 'app'], { description: 'How we are let in: a typed token, or a GitHub App.' }),
    issue: nullable(
      Type.Object({
        code: Type.Enum(['archived', 'not_found', 'access_revoked'] satisfies RepositoryIssue[]),
        message: Type.String({ description: 'In words that a person can act on.' }),
      }),
      { description: 'What keeps jobs from working in it. Null: nothing that is known.' },
    ),
    baseBranch: Type.String(),
    docsFolder: Type.String({ description: 'Empty: the whole repository.' }),
    publishing: PublishingSchema,
  },
  { $id: 'Repository' },
)

export const ConnectBody = Type.Object(
  {
    host: Type.Enum(['gitea', 'github']),
    url: Type.String({ maxLength: 500, pattern: '^https?://[^\\s?#@]+$', description: "Of the host's pages." }),
    owner: OneLine({ minLength: 1, maxLength: 100 }),
    name: OneLine({ minLength: 1, maxLength: 100 }),
    baseBranch: BranchName,
    docsFolder: DocsFolder,
    token: Type.String({
      minLength: 1,
      maxLength: 1_000,
      pattern: '^[!-~]+$',
      description: 'May write to the repository. Sealed when stored, and never shown again.',
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

export const RepositoryTestSchema = Type.Object(
  {
    ok: Type.Boolean(),
    message: Type.String({ description: 'In words that a person can act on.' }),
    found: nullable(
      Type.Object({
        defaultBranch: Type.String(),
        docsFolderExists: nullable(Type.Boolean(), { description: 'On the base branch. Null: the host did not say.' }),
        pages: nullable(Type.Integer(), { description: 'In the docs folder. Null: too many to count in one look.' }),
        canManageWebhooks: Type.Boolean({ description: 'Else pull requests are followed by asking.' }),
      }),
      { description: 'Null where it does not work.' },
    ),
  },
  { $id: 'RepositoryTest' },
)

export const asWanted = (
  { host, url, owner, name, baseBranch, docsFolder }: Static<typeof ConnectBody>,
  publishing: PublishingSettings,
): WantedRepository => ({
  host,
  owner,
  name,
  baseBranch,
  docsFolder,
  publishing,
  baseUrl: url.replace(/\/+$/, ''),
})

/** Without its secrets. */
export const toResponse = (
  { host, baseUrl, owner, name, access, issue, baseBranch, docsFolder, publishing }: Repository,
  templates: Templates,
): Static<typeof RepositorySchema> => ({
  host,
  url: baseUrl,
  owner,
  name,
  baseBranch,
  docsFolder,
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
      return 'The repository is archived, and nothing can be pushed: unarchive it on the host, or connect another.'
    case 'not_found':
      return isApp
        ? 'The repository was deleted, transferred, or taken from the GitHub App: let the App into it, or connect another.'
        : 'The repository was deleted, or the token no longer sees it: connect it again with a token that does, or connect another.'
    case 'access_revoked':
      return isApp
        ? 'The GitHub App was uninstalled or suspended: install it again, and connect the repository once more.'
        : 'The host no longer takes the token: make a new one, and connect the repository again with it.'
  }
}
