/** Everything the stand-in knows, in memory. What is in a repository is in git. */
import { randomBytes } from 'node:crypto'

export type Level = 'read' | 'write' | 'admin'
export type Permissions = Record<string, Level>
export type Role = Level

export interface Account {
  id: number
  login: string
  type: 'User' | 'Organization' | 'Bot'
  /** For the sign-in page. */
  password: string
  /** Of an organization: who may do everything in it. */
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
  /** What the branch is at, or was at when the pull request ended. */
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
  /** GitHub begins to find out at the first look, and says so only at a later one. */
  mergeability: { of: string; isMergeable: boolean | null } | null
}

export interface Comment {
  id: number
  /** Of the pull request. */
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
  detailsUrl: string
  startedAt: Date
  completedAt: Date | null
  /** Of GitHub Actions' own runs; null: another App's. */
  log: string | null
  /** Of the address where the log is kept. */
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
  state: string
  environmentUrl: string
  createdAt: Date
}

export interface Deployment {
  id: number
  sha: string
  ref: string
  environment: string
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
  /** Of the bare repository. */
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
  /** What the branches were at when they were last looked at. */
  branches: Map<string, string>
  /** Commits that GitHub made and signed itself. */
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
  asksForUserOnInstall: boolean
  isPublic: boolean
  bot: Account
  createdAt: Date
}

export interface Installation {
  id: number
  app: App
  account: Account
  /** By number; null: all of the account's. */
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

export interface UserCode {
  app: App
  user: Account
  redirectUri: string
  /** Of PKCE; null: the App did not use it. */
  challenge: string | null
  expiresAt: Date
}

export interface ApiCall {
  sequence: number
  at: string
  method: string
  path: string
  /** Null: no operation of the description. */
  operation: string | null
  status: number
  /** The work was done, the answer never came. */
  isLost: boolean
  caller: string
  /** Whose business it was. */
  account: string | null
}

export interface Violation {
  /** Whose mistake it is. */
  of: 'request' | 'answer' | 'event'
  what: string
  reasons: string[]
}

export class State {
  readonly url: string
  readonly apiUrl: string
  /** Where the bare repositories are. */
  readonly directory: string
  readonly accounts = new Map<string, Account>()
  readonly repositories = new Map<number, Repository>()
  /** Renamed and transferred ones, by the name they had. */
  readonly formerNames = new Map<string, number>()
  readonly tokens = new Map<string, Token>()
  readonly apps = new Map<number, App>()
  readonly installations = new Map<number, Installation>()
  /** Posted by somebody's page, while the person signs in and looks. */
  readonly manifests = new Map<string, { text: string; state: string | null }>()
  /** What people carry home after they made an App: good once. */
  readonly manifestCodes = new Map<string, { app: App; expiresAt: Date }>()
  /** What people carry home after they let an App act for them: good once. */
  readonly userCodes = new Map<string, UserCode>()
  /** `app user`: whoever was asked once is not asked again. */
  readonly authorizations = new Set<string>()
  /** Who is signed in, by cookie. */
  readonly sessions = new Map<string, Account>()
  readonly calls: ApiCall[] = []
  readonly violations: Violation[] = []
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
    if (this.account(login)) throw new Error(`There is an account ${login} already.`)
    const lower = owners.map((owner) => owner.toLowerCase())
    const account: Account = {
      id: this.nextId(),
      login,
      type,
      password,
      owners: new Set(lower),
      createdAt: new Date(),
    }
    this.accounts.set(login.toLowerCase(), account)
    return account
  }

  repositoryNamed(owner: string, name: string): Repository | undefined {
    const wanted = nameKey(owner, name)
    for (const repository of this.repositories.values()) {
      if (nameKey(repository.owner.login, repository.name) === wanted) return repository
    }
    return undefined
  }

  /** The one that had this name. */
  repositoryFormerlyNamed(owner: string, name: string): Repository | undefined {
    const id = this.formerNames.get(nameKey(owner, name))
    return id === undefined ? undefined : this.repositories.get(id)
  }

  installationsOf(repository: Repository): Installation[] {
    return [...this.installations.values()].filter((installation) => covers(installation, repository))
  }
}

export const nameKey = (owner: string, name: string): string => `${owner}/${name}`.toLowerCase()

export const fullName = ({ owner, name }: Repository): string => `${owner.login}/${name}`

export const covers = ({ account, repositories }: Installation, repository: Repository): boolean =>
  repository.owner === account && (repositories === null || repositories.has(repository.id))

export function roleOf(repository: Repository, account: Account): Role | undefined {
  const login = account.login.toLowerCase()
  if (repository.owner === account || repository.owner.owners.has(login)) return 'admin'
  return repository.collaborators.get(login)
}

export const newSecret = (prefix: string): string => prefix + randomBytes(20).toString('hex')
