/** The simulator's state, in memory. The contents of repositories are in git. */
import { randomBytes } from 'node:crypto'

export type PermissionLevel = 'read' | 'write' | 'admin'
export type Permissions = Record<string, PermissionLevel>
export type Role = PermissionLevel

export interface Account {
  id: number
  login: string
  type: 'User' | 'Organization' | 'Bot'
  /** For the sign-in page. */
  password: string
  /** Logins of an organization's owners, in lower case. */
  owners: Set<string>
  createdAt: Date
}

export interface Label {
  id: number
  name: string
}

export interface PullRequest {
  id: number
  number: number
  title: string
  body: string | null
  author: Account
  headBranch: string
  /** Head of the branch, or its last head if the pull request is closed. */
  headSha: string
  baseBranch: string
  baseSha: string
  state: 'open' | 'closed'
  isDraft: boolean
  labels: Label[]
  reviewers: Account[]
  createdAt: Date
  updatedAt: Date
  closedAt: Date | null
  merged: { at: Date; by: Account; sha: string } | null
  /** GitHub starts to compute this on the first read and returns it on a later one. `of` has the commits it applies to. */
  mergeability: { of: string; isMergeable: boolean | null } | null
}

export interface Comment {
  id: number
  /** Number of the pull request. */
  number: number
  author: Account
  body: string
  createdAt: Date
  updatedAt: Date
  reactions: { id: number; user: Account; content: string; createdAt: Date }[]
}

export interface Annotation {
  path: string
  startLine: number
  endLine: number
  level: 'notice' | 'warning' | 'failure'
  message: string
}

export interface CheckRun {
  id: number
  sha: string
  name: string
  status: 'queued' | 'in_progress' | 'completed'
  conclusion: string | null
  output: { title: string | null; summary: string | null; text: string | null }
  annotations: readonly Annotation[]
  startedAt: Date
  completedAt: Date | null
  /** Log of a GitHub Actions run. Null for check runs of other Apps. */
  log: string | null
  /** Secret in the log's URL. */
  logSecret: string
}

export interface CommitStatus {
  id: number
  sha: string
  context: string
  state: 'error' | 'failure' | 'pending' | 'success'
  description: string | null
  targetUrl: string | null
  createdAt: Date
}

export interface DeploymentStatus {
  id: number
  environmentUrl: string
  createdAt: Date
}

export interface Deployment {
  id: number
  sha: string
  ref: string
  createdAt: Date
  statuses: DeploymentStatus[]
}

export interface Hook {
  id: number
  url: string
  secret: string
  contentType: string
  events: string[]
  isActive: boolean
  createdAt: Date
  updatedAt: Date
}

export interface Repository {
  id: number
  owner: Account
  name: string
  isPrivate: boolean
  isArchived: boolean
  defaultBranch: string
  /** Directory of the bare repository. */
  directory: string
  createdAt: Date
  pushedAt: Date
  collaborators: Map<string, Role>
  labels: Label[]
  pullRequests: PullRequest[]
  comments: Comment[]
  checkRuns: CheckRun[]
  statuses: CommitStatus[]
  deployments: Deployment[]
  hooks: Hook[]
  /** Heads of the branches when they were last compared. */
  branches: Map<string, string>
  /** Commits that GitHub created and signed. */
  signed: Map<string, { signature: string; at: Date }>
}

export interface App {
  id: number
  slug: string
  name: string
  owner: Account
  clientId: string
  clientSecret: string
  privateKeyPem: string
  publicKeyPem: string
  webhook: Hook
  permissions: Permissions
  events: string[]
  url: string
  callbackUrls: string[]
  setupUrl: string | null
  requestsOauthOnInstall: boolean
  isPublic: boolean
  bot: Account
  createdAt: Date
}

export interface Installation {
  id: number
  app: App
  account: Account
  /** IDs. Null for all repositories of the account. */
  repositories: Set<number> | null
  permissions: Permissions
  suspendedAt: Date | null
  createdAt: Date
}

export type Token = { token: string; expiresAt: Date } & (
  | { kind: 'fine_grained'; user: Account; repositories: Set<number>; permissions: Permissions }
  | { kind: 'installation'; installation: Installation; repositories: Set<number> | null; permissions: Permissions }
  | { kind: 'user'; user: Account; app: App }
)

export interface AuthorizationCode {
  app: App
  user: Account
  redirectUri: string
  /** PKCE code challenge. Null if the App did not send one. */
  challenge: string | null
  expiresAt: Date
}

export interface LoggedApiCall {
  at: string
  method: string
  path: string
  /** Null if the description has no such operation. */
  operation: string | null
  status: number
  /** The operation was performed, but its response was not sent. */
  isLost: boolean
  /** Login of the account whose faults applied. */
  account: string | null
}

export interface DescriptionViolation {
  /** What does not fit the description. */
  source: 'request' | 'response' | 'event'
  what: string
  reasons: string[]
}

export class State {
  readonly url: string
  readonly apiUrl: string
  /** Directory of the bare repositories. */
  readonly directory: string
  readonly accounts = new Map<string, Account>()
  readonly repositories = new Map<number, Repository>()
  /** IDs of renamed and transferred repositories, by former name. */
  readonly formerNames = new Map<string, number>()
  readonly tokens = new Map<string, Token>()
  readonly apps = new Map<number, App>()
  readonly installations = new Map<number, Installation>()
  /** Manifests that a page posted, until the person confirms. */
  readonly manifests = new Map<string, { text: string; state: string | null }>()
  /** Codes for the credentials of a new App. Each works once. */
  readonly manifestCodes = new Map<string, { app: App; expiresAt: Date }>()
  /** OAuth authorization codes. Each works once. */
  readonly authorizationCodes = new Map<string, AuthorizationCode>()
  /** `<app ID> <user ID>`: Apps that a user has already authorized. */
  readonly authorizations = new Set<string>()
  /** Signed-in accounts by session cookie. */
  readonly sessions = new Map<string, Account>()
  readonly calls: LoggedApiCall[] = []
  readonly violations: DescriptionViolation[] = []
  #lastId = 1000

  constructor(url: string, directory: string) {
    this.url = url
    this.apiUrl = `${url}/api/v3`
    this.directory = directory
  }

  nextId(): number {
    return ++this.#lastId
  }

  account(login: string): Account | undefined {
    return this.accounts.get(login.toLowerCase())
  }

  addAccount(login: string, type: Account['type'], password: string, owners: string[] = []): Account {
    if (this.account(login)) throw new Error(`The account ${login} already exists.`)
    const lowerCaseOwners = owners.map((owner) => owner.toLowerCase())
    const account: Account = {
      id: this.nextId(),
      login,
      type,
      password,
      owners: new Set(lowerCaseOwners),
      createdAt: new Date(),
    }
    this.accounts.set(login.toLowerCase(), account)
    return account
  }

  repositoryNamed(owner: string, name: string): Repository | undefined {
    const key = nameKey(owner, name)
    for (const repository of this.repositories.values()) {
      if (nameKey(repository.owner.login, repository.name) === key) return repository
    }
    return undefined
  }

  /** Finds a repository by a former name. */
  repositoryFormerlyNamed(owner: string, name: string): Repository | undefined {
    const id = this.formerNames.get(nameKey(owner, name))
    return id === undefined ? undefined : this.repositories.get(id)
  }

  installationsOf(repository: Repository): Installation[] {
    return [...this.installations.values()].filter((installation) => isRepositoryCovered(installation, repository))
  }
}

export const nameKey = (owner: string, name: string): string => `${owner}/${name}`.toLowerCase()

export const fullName = ({ owner, name }: Repository): string => `${owner.login}/${name}`

export const isRepositoryCovered = ({ account, repositories }: Installation, repository: Repository): boolean =>
  repository.owner === account && (repositories === null || repositories.has(repository.id))

export function roleOf(repository: Repository, account: Account): Role | undefined {
  const login = account.login.toLowerCase()
  if (repository.owner === account || repository.owner.owners.has(login)) return 'admin'
  return repository.collaborators.get(login)
}

export const newSecret = (prefix: string): string => prefix + randomBytes(20).toString('hex')
