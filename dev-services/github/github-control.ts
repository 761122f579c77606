/** For tests and proofs: makes people and repositories on the stand-in, and does there what people do on GitHub. */
import type { AppManifest } from './apps.ts'
import type { Delivery } from './deliveries.ts'
import type { AccountFaults } from './faults.ts'
import type { Annotation, ApiCall, CheckRun, CommitStatus, Permissions, Role, Violation } from './state.ts'

export interface GithubAddress {
  url: string
  /** Of the control API only. */
  adminToken: string
}

/** `owner/name`, or its number. */
export type RepositoryName = string | number

export interface MadeRepository {
  id: number
  owner: string
  name: string
  fullName: string
  defaultBranch: string
  /** Of the default branch. */
  head: string
  cloneUrl: string
}

export interface SeenPullRequest {
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

export interface MadeApp {
  id: number
  slug: string
  name: string
  clientId: string
  clientSecret: string
  webhookSecret: string
  privateKeyPem: string
}

export interface AccountControl {
  makeUser(login: string, options?: { isBot?: boolean; password?: string }): Promise<{ id: number; login: string }>
  makeOrganization(login: string, owners: string[]): Promise<{ id: number; login: string }>
  /** There is no permission `checks` for them. */
  makeFineGrainedToken(
    login: string,
    options: { repositories: RepositoryName[]; permissions: Permissions; expiresInSeconds?: number },
  ): Promise<string>
  /** Every token that was given out to this account, or to its installations, is worth nothing from now on. */
  expireTokens(login?: string): Promise<void>
}

export interface RepositoryControl {
  makeRepository(
    owner: string,
    name: string,
    options?: { files?: Record<string, string>; isPrivate?: boolean; defaultBranch?: string; labels?: string[] },
  ): Promise<MadeRepository>
  repository(repository: RepositoryName): Promise<MadeRepository>
  setVisibility(repository: RepositoryName, isPrivate: boolean): Promise<void>
  addCollaborator(repository: RepositoryName, login: string, role: Role): Promise<void>
  removeCollaborator(repository: RepositoryName, login: string): Promise<void>

  /** A commit by `login`, or by the repository's owner. Contents null: the file goes. Returns the commit's id. */
  pushFile(
    repository: RepositoryName,
    branch: string,
    path: string,
    contents: string | null,
    login?: string,
  ): Promise<string>
  /** The branch is put to a commit, whatever it was at. */
  forcePush(repository: RepositoryName, branch: string, sha: string): Promise<void>
  deleteBranch(repository: RepositoryName, branch: string): Promise<void>
  branches(repository: RepositoryName): Promise<Record<string, string>>
  /** Null: there is none. */
  file(repository: RepositoryName, ref: string, path: string): Promise<string | null>

  rename(repository: RepositoryName, name: string): Promise<MadeRepository>
  transfer(repository: RepositoryName, owner: string): Promise<MadeRepository>
  archive(repository: RepositoryName, isArchived?: boolean): Promise<void>
  deleteRepository(repository: RepositoryName): Promise<void>
}

export interface PullRequestControl {
  pullRequests(repository: RepositoryName): Promise<SeenPullRequest[]>
  /** Returns the merge commit. */
  mergePullRequest(repository: RepositoryName, number: number, login?: string): Promise<string>
  closePullRequest(repository: RepositoryName, number: number, login?: string): Promise<void>
  reopenPullRequest(repository: RepositoryName, number: number, login?: string): Promise<void>
  /** As people do on its page. */
  editPullRequest(
    repository: RepositoryName,
    number: number,
    change: { title?: string; body?: string; isDraft?: boolean; labels?: string[] },
  ): Promise<void>
  /** Returns the comment's number. */
  comment(repository: RepositoryName, number: number, login: string, text: string): Promise<number>
  reactions(repository: RepositoryName, commentId: number): Promise<{ content: string; login: string }[]>
}

export interface CheckControl {
  /** One of this name on this commit is replaced. With a log it is one of GitHub Actions. Returns its number. */
  setCheckRun(
    repository: RepositoryName,
    sha: string,
    run: {
      name: string
      status: CheckRun['status']
      conclusion?: string
      output?: Partial<CheckRun['output']>
      annotations?: readonly Annotation[]
      detailsUrl?: string
      log?: string
    },
  ): Promise<number>
  setStatus(
    repository: RepositoryName,
    sha: string,
    status: { context: string; state: CommitStatus['state']; description?: string; targetUrl?: string },
  ): Promise<void>
  setDeployment(
    repository: RepositoryName,
    sha: string,
    deployment: { environmentUrl: string; environment?: string; state?: string },
  ): Promise<void>
}

export interface AppControl {
  /** As its manifest says; `name` must be in it. */
  makeApp(owner: string, manifest: AppManifest): Promise<MadeApp>
  /** Returns the installation's number. */
  installApp(slug: string, account: string, repositories: RepositoryName[] | 'all', login?: string): Promise<number>
  uninstall(installationId: number): Promise<void>
  suspend(installationId: number, isSuspended?: boolean): Promise<void>
  addToInstallation(installationId: number, repository: RepositoryName): Promise<void>
  removeFromInstallation(installationId: number, repository: RepositoryName): Promise<void>
  /** As if the person had gone through the pages. */
  makeUserToken(slug: string, login: string): Promise<string>
}

export interface GithubControl extends AccountControl, RepositoryControl, PullRequestControl, CheckControl, AppControl {
  calls(since?: number): Promise<ApiCall[]>
  /** What did not fit GitHub's description: to be found empty. */
  violations(): Promise<Violation[]>
  /** Every webhook about an account's repositories and installations that was sent, or dropped on purpose. */
  deliveries(account?: string): Promise<Delivery[]>
  /** From now on, for all that concerns this account; in place of what was set before. `{}`: all is well. */
  faults(account: string, faults: AccountFaults): Promise<void>
  redeliver(id: number): Promise<void>
}

export function githubControl({ url, adminToken }: GithubAddress): GithubControl {
  const call = async (name: string, args: unknown[]): Promise<unknown> => {
    const response = await fetch(`${url}/_control/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(args),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`The stand-in could not do ${name}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  // Every function is the same call by another name: the interface above is all that there is to say about them.
  return new Proxy({} as GithubControl, {
    get: (_, name) =>
      typeof name === 'string' && name !== 'then' ? (...args: unknown[]) => call(name, args) : undefined,
  })
}
