/** The interface to a code host. It contains what all hosts have in common, and nothing that only one of them has. */

/** 40 hexadecimal digits. Repositories with SHA-256 object ids are not supported. */
export type CommitId = string

export const isCommitId = (text: string): text is CommitId => /^[0-9a-f]{40}$/.test(text)

export type PullRequestState = 'open' | 'merged' | 'closed'

export type PullRequest = {
  number: number
  url: string
  state: PullRequestState
  title: string
  body: string
  /** The head branch. A host may no longer know its name after the branch was deleted. */
  branch: string
  headCommit: CommitId
  /** Whether it conflicts with its base branch. Null: the host has not checked yet. */
  hasConflicts: boolean | null
}

export type PullRequestText = { title: string; body: string }

export type PullRequestBranches = {
  /** The head branch, in the same repository. */
  branch: string
  baseBranch: string
}

export type PullRequestSpec = PullRequestText &
  PullRequestBranches & {
    draft: boolean
    /** Label names. Labels that do not exist are not created. */
    labels: readonly string[]
    /** User names. */
    reviewers: readonly string[]
    /**
     * An earlier attempt may have requested the pull request a moment ago. Some hosts create two pull requests if two calls
     * arrive at the same time.
     */
    mayBeInProgress?: boolean
  }

export type EnsuredPullRequest = {
  pullRequest: PullRequest
  /** Labels and reviewers that could not be set. Wrong names in a project's settings do not prevent its pull requests. */
  skipped: { labels: readonly string[]; reviewers: readonly string[] }
}

export type ConnectionProblemCode =
  | 'address_not_allowed'
  | 'unreachable'
  | 'unrecognized_host'
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

export type ConnectionTestResult =
  | {
      ok: true
      baseCommit: CommitId
      defaultBranch: string
      /** If false, Colophon polls the state of pull requests. */
      canManageWebhooks: boolean
    }
  | { ok: false; code: ConnectionProblemCode; message: string }

export type FolderSummary = {
  exists: boolean
  /** The number of pages in the folder and its subfolders. Null: the repository is too large to count them in one request. */
  pages: number | null
}

/** For git over HTTP. `authorization` is a function so that logging this object does not log the token. */
export type GitRemote = { url: string; authorization: () => string }

/** A file that a commit changes. `blob` is the id of its new contents; null: the file is deleted. */
export type CommitChange = { path: string; mode: string; blob: string | null }

/** Our own commit, created in a bare repository and not yet on a branch of the host. */
export type PreparedCommit = {
  /** The id on hosts that accept the commit as it is. A host that creates the commit itself, to sign it, assigns another id. */
  id: CommitId
  /** The head of the branch, and for a merge the commit that is merged into it. */
  parents: readonly [CommitId, ...CommitId[]]
  tree: string
  message: string
  /** Relative to `changedFrom`, which is one of the parents. */
  changes: readonly CommitChange[]
  changedFrom: CommitId
  /** Undefined: a parent already contains the blob, under some path. */
  readBlob(blob: string): Promise<Buffer | undefined>
  /** Uses git itself, without force. */
  push(branch: string): Promise<'pushed' | 'branch_moved'>
}

export type PutCommitResult =
  /** `commit` is its id on the host. */
  { kind: 'put'; commit: CommitId } | { kind: 'branch_moved' }

/** The current name of the repository, and whether it can be used. Its id does not change when it is renamed. */
export type RepositoryState =
  | { kind: 'usable'; id: number; owner: string; name: string }
  | { kind: 'archived'; id: number; owner: string; name: string }
  /** Deleted, or hidden from us. Hosts do not say which. */
  | { kind: 'not_found' }
  /** The host no longer accepts the token or the App. */
  | { kind: 'access_revoked' }

export type PullRequestComment = {
  id: number
  author: string
  /** Null: the host does not distinguish bots from people. */
  isBot: boolean | null
  text: string
  url: string
  createdAt: Date
}

export type HostCiCheck = {
  /** The host's id of the check, used to request its log. */
  id: string
  name: string
  status: 'pending' | 'passed' | 'failed'
  url: string | null
  /** One line of text from the host or from the check. */
  summary: string | null
}

export type CommitChecks = {
  checks: readonly HostCiCheck[]
  /** The URL of a deployed preview of the change. */
  previewUrl: string | null
}

/** Every call may throw a `CodeHostError`, and every call is safe to repeat. */
export type CodeHost = {
  /** Contains a token that is valid for at least a few minutes, and the current name of the repository. */
  gitRemote(): Promise<GitRemote>

  readRepositoryState(): Promise<RepositoryState>

  /** Runs before a connection is saved. The message tells a person what is wrong and what to do about it. */
  testConnection(baseBranch: string): Promise<ConnectionTestResult>

  /** `folder` has no leading or trailing slash. An empty string is the whole repository. */
  inspectFolder(commit: CommitId, folder: string): Promise<FolderSummary>

  branchHead(branch: string): Promise<CommitId | undefined>

  /** The branch must point to the commit's parent or not exist yet. Never uses force. */
  putCommit(commit: PreparedCommit, branch: string): Promise<PutCommitResult>

  /** Deletes a branch that we created, but only while it points to `pushed`, so that later commits of others are not lost. */
  deleteBranch(branch: string, pushed: CommitId): Promise<'deleted' | 'absent' | 'moved'>

  /**
   * There is one pull request per branch, in whatever state: if it was merged or closed in the meantime, it is returned as
   * it is. An existing pull request is not changed, so that labels and reviewers which people removed stay removed.
   */
  ensurePullRequest(spec: PullRequestSpec): Promise<EnsuredPullRequest>

  findPullRequest(number: number): Promise<PullRequest | undefined>

  /** The open one, otherwise one that was merged or closed. */
  findPullRequestOfBranch(branches: PullRequestBranches): Promise<PullRequest | undefined>

  /** Changes the title and the body, each only if it is still the text that we wrote. Edits made by people are kept. */
  updatePullRequestText(
    number: number,
    text: { previous: PullRequestText; updated: PullRequestText },
  ): Promise<PullRequest>

  /** Comments by people and bots, oldest first: all that were created since then, and possibly older ones. */
  listComments(number: number, since: Date): Promise<PullRequestComment[]>

  /** Adds a reaction, so that the author sees that the comment was read. */
  acknowledgeComment(commentId: number): Promise<void>

  /** Whether this user may push to the repository. */
  hasWriteAccess(userName: string): Promise<boolean>

  readChecks(commit: CommitId): Promise<CommitChecks>

  /** The end of the log, as plain text. Null: the host stores no log, or does not give access to it. */
  readCheckLog(check: HostCiCheck): Promise<string | null>

  /** Afterwards exactly one webhook has this URL and this secret. `not_permitted`: the token may not manage webhooks. */
  ensureWebhook(webhook: { url: string; secret: string }): Promise<'ensured' | 'not_permitted'>

  /** Afterwards no webhook has a URL that ends like this. `not_permitted`: also if the repository is gone or hidden from us. */
  removeWebhooks(urlEnd: string): Promise<'removed' | 'not_permitted'>
}

export type WebhookDelivery = { headers: Readonly<Record<string, string | string[] | undefined>>; body: Uint8Array }

/**
 * What to poll. The state itself is read from the host, so a delivery that arrives late, twice or out of order does no harm.
 * `repositoryId` is the host's id; null: the delivery names no repository.
 */
export type WebhookEvent =
  | { kind: 'not_authentic' }
  | { kind: 'ignored' }
  /** Its state changed, or someone commented on it. */
  | { kind: 'pull_request'; repositoryId: number | null; number: number }
  /** Checks or previews of commits on these branches changed. */
  | { kind: 'branches'; repositoryId: number | null; branches: readonly string[] }
  /** Renamed, transferred, archived or deleted. Without a repository id: all repositories that the App is installed on. */
  | { kind: 'repository'; repositoryId: number | null; installationId: number | null }

export type ParseWebhook = (delivery: WebhookDelivery, secret: string) => WebhookEvent
