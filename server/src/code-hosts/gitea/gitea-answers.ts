/** Of Gitea's answers only what is used: other fields may come and go. */
import Type, { type Static } from 'typebox'

const commitId = Type.String({ pattern: '^[0-9a-f]{40}$' })

export const GiteaRepository = Type.Object({
  full_name: Type.String(),
  archived: Type.Boolean(),
  mirror: Type.Boolean(),
  has_pull_requests: Type.Boolean(),
  object_format_name: Type.Optional(Type.String()),
  permissions: Type.Object({ admin: Type.Boolean(), push: Type.Boolean() }),
})

export const GiteaBranch = Type.Object({ commit: Type.Object({ id: commitId }) })

export const GiteaPullRequest = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  html_url: Type.String({ pattern: '^https?://' }),
  state: Type.Enum(['open', 'closed']),
  merged: Type.Boolean(),
  title: Type.String(),
  body: Type.String(),
  head: Type.Object({ sha: commitId, ref: Type.String() }),
  base: Type.Object({ ref: Type.String() }),
})
export type GiteaPullRequest = Static<typeof GiteaPullRequest>

export const GiteaLabel = Type.Object({ id: Type.Integer(), name: Type.String() })

export const GiteaHook = Type.Object({ id: Type.Integer(), config: Type.Record(Type.String(), Type.String()) })

export const GiteaPullRequestEvent = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  pull_request: Type.Object({
    state: Type.Enum(['open', 'closed']),
    merged: Type.Boolean(),
    head: Type.Object({ ref: Type.String() }),
  }),
  repository: Type.Object({ full_name: Type.String() }),
})
