/** What a code host can do for us: the same for all of them, and nothing that only one of them has. */

/** 40 hexadecimal digits: repositories with SHA-256 ids are not supported. */
export type CommitId = string

export const isCommitId = (text: string): text is CommitId => /^[0-9a-f]{40}$/.test(text)

export type PullRequestState = 'open' | 'merged' | 'closed'

export type PullRequest = {
  number: number
  url: string
  state: PullRequestState
  title: string
  body: string
  headCommit: CommitId
}

export type PullRequestText = { title: string; body: string }

export type WantedPullRequest = PullRequestText & {
  /** The branch with the changes, in the same repository. */
  branch: string
  baseBranch: string
  draft: boolean
  /** By name. Labels that do not exist are not made. */
  labels: readonly string[]
  /** User names. */
  reviewers: readonly string[]
  /** An earlier attempt may have asked for it a moment ago: some hosts make two of two calls that come together. */
  mayBeUnderWay?: boolean
}

export type EnsuredPullRequest = {
  pullRequest: PullRequest
  /** Wrong names in a project's settings do not keep its work from being seen. */
  skipped: { labels: readonly string[]; reviewers: readonly string[] }
}

export type ConnectionProblemCode =
  | 'address_refused'
  | 'unreachable'
  | 'not_this_host'
  | 'token_rejected'
  | 'token_cannot_read'
  | 'token_cannot_push'
  | 'repository_not_found'
  | 'repository_moved'
  | 'repository_archived'
  | 'repository_is_mirror'
  | 'object_format_not_supported'
  | 'pull_requests_disabled'
  | 'base_branch_not_found'

export type ConnectionTest =
  | {
      works: true
      baseCommit: CommitId
      /** Else states of pull requests are followed by asking. */
      canManageWebhooks: boolean
    }
  | { works: false; code: ConnectionProblemCode; message: string }

/** For git over HTTP. A function, so that the token is in no log line that prints this. */
export type GitRemote = { url: string; authorization: () => string }

/** Every call may throw a `CodeHostError`; every call may be repeated. */
export type CodeHost = {
  readonly gitRemote: GitRemote

  /** Before a connection is saved: says what is wrong in words that a person can act on. */
  testConnection(baseBranch: string): Promise<ConnectionTest>

  branchHead(branch: string): Promise<CommitId | undefined>

  /** Of a branch that we made: only while it is what we pushed, so that nobody's later work goes with it. */
  deleteBranch(branch: string, pushed: CommitId): Promise<'deleted' | 'absent' | 'moved'>

  /**
   * One pull request per branch, whatever its state: one that was merged or closed meanwhile is returned as it is. An
   * existing one is not changed, so that labels and reviewers which people removed stay removed.
   */
  ensurePullRequest(wanted: WantedPullRequest): Promise<EnsuredPullRequest>

  findPullRequest(number: number): Promise<PullRequest | undefined>

  /** Title and body each only if it is still what we wrote: what people have rewritten is theirs. */
  rewritePullRequest(number: number, text: { written: PullRequestText; wanted: PullRequestText }): Promise<PullRequest>

  /** Exactly one webhook to this URL is left, with this secret. `not_permitted`: the token may not manage webhooks. */
  ensureWebhook(webhook: { url: string; secret: string }): Promise<'ensured' | 'not_permitted'>
}

export type WebhookDelivery = { headers: Readonly<Record<string, string | string[] | undefined>>; body: Uint8Array }

/**
 * A hint where to look: the state is read back from the host before anything follows from it, so a delivery that comes
 * late or twice does no harm.
 */
export type WebhookReading =
  | { kind: 'not_authentic' }
  | { kind: 'ignored' }
  | { kind: 'pull_request'; repository: string; number: number; state: PullRequestState; branch: string }

export type ReadWebhook = (delivery: WebhookDelivery, secret: string) => WebhookReading
