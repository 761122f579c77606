/** A repository on a code host for one test, and the actions of people in it. */
import type { Egress } from '../../platform/egress/egress.ts'
import type { CodeHost, CommitId } from '../code-host.ts'
import type { CodeHostConnection } from '../code-host-factory.ts'
import type { CraftedCommit, CraftedFiles } from './craft-commit.ts'
import type { PersonGit } from './person-git.ts'

/** GitHub is tested in both ways, because an App may do things that personal tokens may not. */
export type HostVariant = 'gitea' | 'github' | 'github_by_token'

export type HostPerson = { name: string; token: string }

export type ObservedPullRequest = {
  number: number
  title: string
  isDraft: boolean
  labels: readonly string[]
  reviewers: readonly string[]
}

export type CommitStatusSpec = {
  name: string
  state: 'pending' | 'success' | 'failure'
  url?: string
  summary?: string
}

export type HostTestRepository = PersonGit & {
  variant: HostVariant
  owner: string
  name: string
  base: CraftedCommit
  egress: Egress
  /** The host with the connection of the repository. */
  host: CodeHost
  connection: CodeHostConnection
  /** The host with another token. */
  hostWithToken(token: string): CodeHost
  /** The host with another egress, or with a changed connection. */
  hostWithChanges(change: { baseUrl?: string; name?: string }, egress?: Egress): CodeHost

  /** Creates a user with this role in the repository, and a token with all permissions of that user. */
  invite(role: 'admin' | 'write' | 'read' | 'none'): Promise<HostPerson>
  merge(number: number): Promise<void>
  close(number: number): Promise<void>
  reopen(number: number): Promise<void>
  retitle(number: number, title: string): Promise<void>
  comment(number: number, by: HostPerson, text: string): Promise<number>
  /** The reactions to a comment. */
  reactionsTo(commentId: number): Promise<string[]>
  setStatus(commit: CommitId, status: CommitStatusSpec): Promise<void>
  /** Creates a failed check run of the host's own CI. */
  setFailedRun(commit: CommitId, run: { name: string; summary: string; annotation: string; log: string }): Promise<void>
  setDeployment(commit: CommitId, url: string): Promise<void>
  inviteBot(): Promise<HostPerson>
  listPullRequests(branch: string): Promise<ObservedPullRequest[]>
  /** The name of an existing label. */
  existingLabel(): Promise<string>
  labels(): Promise<string[]>
  deleteBranch(branch: string): Promise<void>
  /** The URLs of the webhooks. */
  webhooks(): Promise<string[]>
  rename(name: string): Promise<void>
  archive(): Promise<void>
  /** Deletes the repository on the host. `remove` also releases local resources. */
  delete(): Promise<void>
  remove(): Promise<void>
}

export const baseFiles: CraftedFiles = {
  'README.md': '# Project\n',
  'docs/index.md': '# Welcome\n\nOne.\n\nTwo.\n\nThree.\n',
  'docs/guide/start.md': '# Start\n',
  'docs/image.png': 'not a real image',
  'src/main.ts': 'export {}\n',
}
