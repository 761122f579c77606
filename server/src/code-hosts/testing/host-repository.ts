/** A repository of its own on a code host, for one test, and what people do there. */
import type { Egress } from '../../platform/egress/egress.ts'
import type { CodeHost, CommitId } from '../code-host.ts'
import type { CodeHostConnection } from '../open-code-host.ts'
import type { CraftedCommit, CraftedFiles } from './craft-commit.ts'
import type { PersonGit } from './person-git.ts'

/** GitHub lets Apps do what it does not let people's tokens do. */
export type HostWay = 'gitea' | 'github' | 'github_by_token'

export type HostPerson = { name: string; token: string }

export type SeenPullRequest = {
  number: number
  title: string
  isDraft: boolean
  labels: readonly string[]
  reviewers: readonly string[]
}

export type WantedStatus = {
  name: string
  state: 'pending' | 'success' | 'failure'
  url?: string
  summary?: string
}

export type HostRepository = PersonGit & {
  way: HostWay
  owner: string
  name: string
  base: CraftedCommit
  egress: Egress
  /** As it is connected. */
  host: CodeHost
  connection: CodeHostConnection
  /** The repository as seen with another token. */
  hostWith(token: string): CodeHost
  /** Connected as it is, by another way out, or with something about it changed. */
  hostAt(change: { baseUrl?: string; name?: string }, egress?: Egress): CodeHost

  /** Somebody new, who may do this in the repository, with a token that may do all that they may. */
  invite(role: 'admin' | 'write' | 'read' | 'none'): Promise<HostPerson>
  merge(number: number): Promise<void>
  close(number: number): Promise<void>
  reopen(number: number): Promise<void>
  retitle(number: number, title: string): Promise<void>
  comment(number: number, by: HostPerson, text: string): Promise<number>
  /** By which reactions a comment was answered. */
  reactionsTo(commentId: number): Promise<string[]>
  setStatus(commit: CommitId, status: WantedStatus): Promise<void>
  /** Of the host's own CI, which failed. */
  setFailedRun(commit: CommitId, run: { name: string; summary: string; annotation: string; log: string }): Promise<void>
  setDeployment(commit: CommitId, url: string): Promise<void>
  inviteBot(): Promise<HostPerson>
  pullRequestsOf(branch: string): Promise<SeenPullRequest[]>
  /** One that the repository has. */
  knownLabel(): Promise<string>
  labels(): Promise<string[]>
  deleteBranch(branch: string): Promise<void>
  /** By their addresses. */
  webhooks(): Promise<string[]>
  rename(name: string): Promise<void>
  archive(): Promise<void>
  /** On the host; what the test holds of it is left for `remove`. */
  delete(): Promise<void>
  remove(): Promise<void>
}

export const baseFiles: CraftedFiles = {
  'README.md': '# Project\n',
  'docs/index.md': '# Welcome\n\nOne.\n\nTwo.\n\nThree.\n',
  'docs/guide/start.md': '# Start\n',
  'docs/image.png': 'not really an image, but nobody looks',
  'src/main.ts': 'export {}\n',
}
