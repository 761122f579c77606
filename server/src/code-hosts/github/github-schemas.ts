/** Schemas of GitHub's responses. They contain only the fields that are used; other fields may change. */
import Type, { type Static, type TSchema } from 'typebox'

const commitId = Type.String({ pattern: '^[0-9a-f]{40}$' })
const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const text = orNull(Type.String())

export const GithubRepository = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  name: Type.String({ pattern: '^[\\w.-]+$' }),
  owner: Type.Object({ login: Type.String({ pattern: '^[\\w.-]+$' }) }),
  default_branch: Type.String(),
  archived: Type.Boolean(),
  disabled: Type.Boolean(),
  has_pull_requests: Type.Optional(Type.Boolean()),
  /** The permissions of the token's user. Missing for installation tokens. */
  permissions: Type.Optional(Type.Object({ admin: Type.Boolean(), push: Type.Boolean() })),
})
export type GithubRepository = Static<typeof GithubRepository>

export const GithubInstallationToken = Type.Object({
  token: Type.String({ pattern: '^[!-~]+$' }),
  expires_at: Type.String({ pattern: '^\\d{4}-' }),
})

export const GithubRef = Type.Object({ object: Type.Object({ sha: commitId }) })

export const GithubCreatedObject = Type.Object({ sha: commitId })

export const GithubCommit = Type.Object({ tree: Type.Object({ sha: commitId }) })

export const GithubTree = Type.Object({
  truncated: Type.Boolean(),
  tree: Type.Array(Type.Object({ path: Type.String(), type: Type.String() })),
})

/** An array for a folder, an object for a file. */
export const GithubContents = Type.Union([Type.Array(Type.Object({ name: Type.String() })), Type.Object({})])

const pullRequest = {
  number: Type.Integer({ minimum: 1 }),
  html_url: Type.String({ pattern: '^https?://' }),
  state: Type.Enum(['open', 'closed']),
  merged_at: text,
  title: Type.String(),
  body: text,
  /** `repo` is null if the fork was deleted. */
  head: Type.Object({ sha: commitId, ref: Type.String(), repo: orNull(Type.Object({ id: Type.Integer() })) }),
  base: Type.Object({ ref: Type.String(), repo: Type.Object({ id: Type.Integer() }) }),
}

export const GithubListedPullRequest = Type.Object(pullRequest)
export type GithubListedPullRequest = Static<typeof GithubListedPullRequest>

/** `mergeable` is null until GitHub has checked it. */
export const GithubPullRequest = Type.Object({ ...pullRequest, mergeable: orNull(Type.Boolean()) })
export type GithubPullRequest = Static<typeof GithubPullRequest>

export const GithubLabel = Type.Object({ name: Type.String() })

export const GithubComment = Type.Object({
  id: Type.Integer(),
  html_url: Type.String({ pattern: '^https?://' }),
  /** Null: the account was deleted. */
  user: orNull(Type.Object({ login: Type.String(), type: Type.String() })),
  body: Type.Optional(Type.String()),
  created_at: Type.String({ pattern: '^\\d{4}-' }),
})

export const GithubPermission = Type.Object({ permission: Type.String() })

export const GithubCheckRun = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  status: Type.String(),
  conclusion: text,
  details_url: text,
  html_url: text,
  output: Type.Object({ title: text, summary: text, text, annotations_count: Type.Integer() }),
  app: orNull(Type.Object({ slug: Type.Optional(Type.String()) })),
})
export type GithubCheckRun = Static<typeof GithubCheckRun>

export const GithubCheckRuns = Type.Object({ check_runs: Type.Array(GithubCheckRun) })

export const GithubAnnotation = Type.Object({
  path: Type.String(),
  start_line: Type.Integer(),
  annotation_level: text,
  message: text,
})

export const GithubStatus = Type.Object({
  id: Type.Integer(),
  state: Type.String(),
  context: Type.String(),
  description: text,
  target_url: text,
})

export const GithubStatuses = Type.Object({ statuses: Type.Array(GithubStatus) })

export const GithubDeployment = Type.Object({ id: Type.Integer() })

export const GithubDeploymentStatus = Type.Object({
  state: Type.String(),
  environment_url: Type.Optional(Type.String()),
})

export const GithubHook = Type.Object({
  id: Type.Integer(),
  config: Type.Object({ url: Type.Optional(Type.String()) }),
})
