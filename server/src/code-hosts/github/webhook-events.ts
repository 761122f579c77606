/** Schemas of GitHub's webhook events. They contain only what says which pull request, branch or repository to poll. */
import Type from 'typebox'

const number = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
const withId = Type.Object({ id: number })
const repository = { repository: withId }

export const PullRequestEvent = Type.Object({ ...repository, number })

/** Comments on issues are the same event, without `pull_request`. */
export const IssueCommentEvent = Type.Object({
  ...repository,
  issue: Type.Object({ number, pull_request: Type.Object({}) }),
})

export const CheckRunEvent = Type.Object({
  ...repository,
  check_run: Type.Object({
    check_suite: Type.Union([
      Type.Null(),
      Type.Object({ head_branch: Type.Optional(Type.Union([Type.String(), Type.Null()])) }),
    ]),
  }),
})

export const StatusEvent = Type.Object({ ...repository, branches: Type.Array(Type.Object({ name: Type.String() })) })

export const DeploymentStatusEvent = Type.Object({ ...repository, deployment: Type.Object({ ref: Type.String() }) })

export const RepositoryEvent = Type.Object({ ...repository, installation: Type.Optional(withId) })

export const InstallationEvent = Type.Object({ installation: withId })
