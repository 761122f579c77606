/** Schemas of Gitea's responses. They contain only the fields that are used; other fields may change. */
import Type, { type Static } from 'typebox'

const commitId = Type.String({ pattern: '^[0-9a-f]{40}$' })

export const GiteaRepository = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  owner: Type.Object({ login: Type.String() }),
  default_branch: Type.String(),
  archived: Type.Boolean(),
  mirror: Type.Boolean(),
  has_pull_requests: Type.Boolean(),
  object_format_name: Type.Optional(Type.String()),
  permissions: Type.Object({ admin: Type.Boolean(), push: Type.Boolean() }),
})

export const GiteaBranch = Type.Object({ commit: Type.Object({ id: commitId }) })

export const GiteaRefs = Type.Array(Type.Object({ ref: Type.String(), object: Type.Object({ sha: commitId }) }))

export const GiteaTree = Type.Object({
  truncated: Type.Boolean(),
  tree: Type.Array(Type.Object({ path: Type.String(), type: Type.String() })),
})

/** An array for a folder, an object for a file. */
export const GiteaContents = Type.Union([Type.Array(Type.Object({ name: Type.String() })), Type.Object({})])

export const GiteaPullRequest = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  html_url: Type.String({ pattern: '^https?://' }),
  state: Type.Enum(['open', 'closed']),
  merged: Type.Boolean(),
  mergeable: Type.Boolean(),
  draft: Type.Boolean(),
  title: Type.String(),
  body: Type.String(),
  head: Type.Object({ sha: commitId, ref: Type.String(), repo_id: Type.Integer() }),
  base: Type.Object({ ref: Type.String(), repo_id: Type.Integer() }),
})
export type GiteaPullRequest = Static<typeof GiteaPullRequest>

export const GiteaLabel = Type.Object({ id: Type.Integer(), name: Type.String() })

export const GiteaHook = Type.Object({ id: Type.Integer(), config: Type.Record(Type.String(), Type.String()) })

export const GiteaComment = Type.Object({
  id: Type.Integer(),
  html_url: Type.String({ pattern: '^https?://' }),
  user: Type.Object({ login: Type.String() }),
  body: Type.String(),
  created_at: Type.String({ pattern: '^\\d{4}-' }),
})

export const GiteaPermission = Type.Object({ permission: Type.String() })

export const GiteaStatuses = Type.Object({
  statuses: Type.Union([
    Type.Null(),
    Type.Array(
      Type.Object({
        id: Type.Integer(),
        status: Type.String(),
        context: Type.String(),
        description: Type.String(),
        target_url: Type.String(),
      }),
    ),
  ]),
})

const eventNumber = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
const eventRepository = Type.Object({ id: eventNumber })

export const GiteaPullRequestEvent = Type.Object({
  number: eventNumber,
  repository: eventRepository,
})

export const GiteaCommentEvent = Type.Object({
  is_pull: Type.Literal(true),
  issue: Type.Object({ number: eventNumber }),
  repository: eventRepository,
})

export const GiteaRepositoryEvent = Type.Object({ repository: eventRepository })
