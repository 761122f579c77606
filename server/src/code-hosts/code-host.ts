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
  /** Of the changes. A host may have forgotten the name of one that was deleted. */
  branch: string
  headCommit: CommitId
  /** With its base. Null: the host does not know yet. */
  hasConflicts: boolean | null
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
      ok: true
      baseCommit: CommitId
      defaultBranch: string
      /** Else states of pull requests are followed by asking. */
      canManageWebhooks: boolean
    }
  | { ok: false; code: ConnectionProblemCode; message: string }

export type FolderLook = {
  exists: boolean
  /** Pages in it and below. Null: the repository is too large to count them in one look. */
  pages: number | null
}

/** For git over HTTP. A function, so that the token is in no log line that prints this. */
export type GitRemote = { url: string; authorization: () => string }

/** A file that a commit changes; `blob` is the id of its new contents, null: it goes. */
export type CommitChange = { path: string; mode: string; blob: string | null }

/** Our own commit, made in a bare repository, on its way to a branch. */
export type PreparedCommit = {
  /** Of a host that takes it as it is. One that makes it itself, to sign it, gives it another. */
  id: CommitId
  parent: CommitId
  tree: string
  message: string
  changes: readonly CommitChange[]
  /** Undefined: the parent has it already, under whatever name. */
  contentsOf(blob: string): Promise<Buffer | undefined>
  /** By git itself, without force. */
  push(branch: string): Promise<'pushed' | 'branch_moved'>
}

export type PutCommit =
  /** `commit` is what the host calls it. */
  { kind: 'put'; commit: CommitId } | { kind: 'branch_moved' }

/** Where the repository is now, and whether it can be worked with. Numbers stay when names change. */
export type RepositoryLook =
  | { kind: 'usable'; id: number; owner: string; name: string }
  | { kind: 'archived'; id: number; owner: string; name: string }
  /** Deleted, or hidden from us: hosts do not say which. */
  | { kind: 'not_found' }
  /** The token, or the app, is no longer let in. */
  | { kind: 'access_revoked' }

export type PullRequestComment = {
  id: number
  author: string
  /** Null: the host does not tell bots from people. */
  isBot: boolean | null
  text: string
  url: string
  createdAt: Date
}

export type HostCheck = {
  /** The host's own, to ask for its log with. */
  id: string
  name: string
  status: 'pending' | 'passed' | 'failed'
  url: string | null
  /** A line of the host or of the check. */
  summary: string | null
}

export type HostChecks = {
  checks: readonly HostCheck[]
  /** Where the site with the change can be seen. */
  previewUrl: string | null
}

/** Every call may throw a `CodeHostError`; every call may be repeated. */
export type CodeHost = {
  /** With a token that is good for at least some minutes, and the repository's name of today. */
  gitRemote(): Promise<GitRemote>

  look(): Promise<RepositoryLook>

  /** Before a connection is saved: says what is wrong in words that a person can act on. */
  testConnection(baseBranch: string): Promise<ConnectionTest>

  /** Of a folder without slashes at its ends; empty: the whole repository. */
  lookAtFolder(commit: CommitId, folder: string): Promise<FolderLook>

  branchHead(branch: string): Promise<CommitId | undefined>

  /** On a branch that is at the commit's parent, or is not there yet; never by force. */
  putCommit(commit: PreparedCommit, branch: string): Promise<PutCommit>

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

  /** Oldest first, of people and bots: all that were made since then, and perhaps older ones. */
  listComments(number: number, since: Date): Promise<PullRequestComment[]>

  /** So that whoever wrote it sees that it was read. */
  acknowledgeComment(commentId: number): Promise<void>

  /** Whether this user may push to the repository. */
  mayWrite(userName: string): Promise<boolean>

  readChecks(commit: CommitId): Promise<HostChecks>

  /** The end of it, as plain text. Null: the host keeps none, or does not hand it out. */
  readCheckLog(check: HostCheck): Promise<string | null>

  /** Exactly one webhook to this URL is left, with this secret. `not_permitted`: the token may not manage webhooks. */
  ensureWebhook(webhook: { url: string; secret: string }): Promise<'ensured' | 'not_permitted'>
}

export type WebhookDelivery = { headers: Readonly<Record<string, string | string[] | undefined>>; body: Uint8Array }

/**
 * A hint where to look: what follows is read back from the host, so a delivery that comes late, twice or out of order does no
 * harm. `repositoryId` is the host's number; null: the delivery names none.
 */
export type WebhookReading =
  | { kind: 'not_authentic' }
  | { kind: 'ignored' }
  /** Its state, or a comment on it. */
  | { kind: 'pull_request'; repositoryId: number | null; number: number }
  /** Checks or previews of what is on it. */
  | { kind: 'branches'; repositoryId: number | null; branches: readonly string[] }
  /** Renamed, transferred, archived, deleted; or all repositories of an installation are meant. */
  | { kind: 'repository'; repositoryId: number | null; installationId: number | null }

export type ReadWebhook = (delivery: WebhookDelivery, secret: string) => WebhookReading
