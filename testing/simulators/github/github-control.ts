/**
 * The control API for tests and proofs: creates accounts and repositories on the simulator, and performs what people do
 * on GitHub.
 */
import type { AppManifest } from './apps.ts'
import type { AccountFaults } from './fault-injector.ts'
import type {
  Annotation,
  CheckRun,
  CommitStatus,
  DescriptionViolation,
  LoggedApiCall,
  Permissions,
  Role,
} from './state.ts'
import type { Delivery } from './webhook-sender.ts'

export type { AccountFaults, Delivery }

export interface GithubSimulatorAccess {
  url: string
  /** Token of the control API. */
  adminToken: string
}

/** `owner/name`, or the repository's ID. */
export type RepositoryReference = string | number

export interface CreatedRepository {
  id: number
  owner: string
  name: string
  fullName: string
  defaultBranch: string
  /** Head commit of the default branch. */
  head: string
  cloneUrl: string
}

export interface PullRequestSnapshot {
  number: number
  url: string
  title: string
  body: string | null
  state: 'open' | 'closed'
  isMerged: boolean
  isDraft: boolean
  author: string
  headBranch: string
  headSha: string
  baseBranch: string
  labels: string[]
  reviewers: string[]
  mergeCommit: string | null
}

export interface CreatedApp {
  id: number
  slug: string
  name: string
  clientId: string
  clientSecret: string
  webhookSecret: string
  privateKeyPem: string
}

export interface AccountControl {
  createUser(login: string, options?: { isBot?: boolean; password?: string }): Promise<{ id: number; login: string }>
  createOrganization(login: string, owners: string[]): Promise<{ id: number; login: string }>
  /** These tokens cannot have the permission `checks`. */
  createFineGrainedToken(
    login: string,
    options: { repositories: RepositoryReference[]; permissions: Permissions; expiresInSeconds?: number },
  ): Promise<string>
  /** Invalidates every token of this account and of its installations. */
  expireTokens(login: string): Promise<void>
}

export interface RepositoryControl {
  createRepository(
    owner: string,
    name: string,
    options?: { files?: Record<string, string>; isPrivate?: boolean; defaultBranch?: string; labels?: string[] },
  ): Promise<CreatedRepository>
  repository(repository: RepositoryReference): Promise<CreatedRepository>
  setVisibility(repository: RepositoryReference, isPrivate: boolean): Promise<void>
  addCollaborator(repository: RepositoryReference, login: string, role: Role): Promise<void>

  /** Commits as the repository's owner. Null as contents deletes the file. Returns the commit ID. */
  pushFile(repository: RepositoryReference, branch: string, path: string, contents: string | null): Promise<string>
  /** Sets the branch to a commit, even if that is not a fast-forward. */
  forcePush(repository: RepositoryReference, branch: string, sha: string): Promise<void>
  deleteBranch(repository: RepositoryReference, branch: string): Promise<void>
  branches(repository: RepositoryReference): Promise<Record<string, string>>
  /** Null if there is no such file. */
  readFile(repository: RepositoryReference, ref: string, path: string): Promise<string | null>

  rename(repository: RepositoryReference, name: string): Promise<CreatedRepository>
  transfer(repository: RepositoryReference, owner: string): Promise<CreatedRepository>
  archive(repository: RepositoryReference, isArchived?: boolean): Promise<void>
  deleteRepository(repository: RepositoryReference): Promise<void>
}

export interface PullRequestControl {
  pullRequests(repository: RepositoryReference): Promise<PullRequestSnapshot[]>
  /** Returns the merge commit. */
  mergePullRequest(repository: RepositoryReference, number: number): Promise<string>
  closePullRequest(repository: RepositoryReference, number: number): Promise<void>
  reopenPullRequest(repository: RepositoryReference, number: number): Promise<void>
  /** Edits the pull request as on its page. */
  editPullRequest(
    repository: RepositoryReference,
    number: number,
    change: { title?: string; body?: string; isDraft?: boolean; labels?: string[] },
  ): Promise<void>
  /** Returns the comment's ID. */
  comment(repository: RepositoryReference, number: number, login: string, text: string): Promise<number>
  reactions(repository: RepositoryReference, commentId: number): Promise<{ content: string; login: string }[]>
}

export interface CheckControl {
  /** Replaces a check run of this name on this commit. With a log, it belongs to GitHub Actions. Returns its ID. */
  setCheckRun(
    repository: RepositoryReference,
    sha: string,
    run: {
      name: string
      status: CheckRun['status']
      conclusion?: string
      output?: Partial<CheckRun['output']>
      annotations?: readonly Annotation[]
      log?: string
    },
  ): Promise<number>
  setStatus(
    repository: RepositoryReference,
    sha: string,
    status: { context: string; state: CommitStatus['state']; description?: string; targetUrl?: string },
  ): Promise<void>
  setDeployment(repository: RepositoryReference, sha: string, deployment: { environmentUrl: string }): Promise<void>
}

export interface AppControl {
  /** Creates an App from a manifest, which must have a name. */
  createApp(owner: string, manifest: AppManifest): Promise<CreatedApp>
  /** Returns the installation's ID. */
  installApp(slug: string, account: string, repositories: RepositoryReference[]): Promise<number>
  uninstall(installationId: number): Promise<void>
  suspend(installationId: number, isSuspended?: boolean): Promise<void>
  addToInstallation(installationId: number, repository: RepositoryReference): Promise<void>
  removeFromInstallation(installationId: number, repository: RepositoryReference): Promise<void>
  /** Returns the token that the person would get by authorizing the App on the pages. */
  createUserToken(slug: string, login: string): Promise<string>
}

export interface GithubControl extends AccountControl, RepositoryControl, PullRequestControl, CheckControl, AppControl {
  calls(): Promise<LoggedApiCall[]>
  /** Requests, responses and events that do not fit GitHub's description. Tests assert that there are none. */
  violations(): Promise<DescriptionViolation[]>
  /** All webhooks about an account's repositories and installations, including the dropped ones. */
  deliveries(account?: string): Promise<Delivery[]>
  /** Sets the faults of this account and replaces earlier ones. `{}` removes them. */
  setFaults(account: string, faults: AccountFaults): Promise<void>
  redeliver(id: number): Promise<void>
}

export function createGithubControlClient({ url, adminToken }: GithubSimulatorAccess): GithubControl {
  const call = async (name: string, args: unknown[]): Promise<unknown> => {
    const response = await fetch(`${url}/_control/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(args),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`The GitHub simulator failed to run ${name}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  // All functions make the same call with their own name, so the interface above is all that is needed.
  return new Proxy({} as GithubControl, {
    get: (_, name) =>
      typeof name === 'string' && name !== 'then' ? (...args: unknown[]) => call(name, args) : undefined,
  })
}
