/** Of GitHub's deliveries only what says where to look. */
import Type from 'typebox'

const number = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
const withNumber = Type.Object({ id: number })
const repository = { repository: withNumber }

export const PullRequestEvent = Type.Object({ ...repository, number })

/** Comments on issues are told in the same way, without `pull_request`. */
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

export const RepositoryEvent = Type.Object({ ...repository, installation: Type.Optional(withNumber) })

export const InstallationEvent = Type.Object({ installation: withNumber })
