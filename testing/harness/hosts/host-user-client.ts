/** A person who reads a repository on its code host, pushes to it, and merges or closes pull requests. */
export interface HostPullRequest {
  number: number
  url: string
  state: 'open' | 'merged' | 'closed'
  title: string
  body: string
  isDraft: boolean
  branch: string
  labels: readonly string[]
  reviewers: readonly string[]
}

export interface HostCommit {
  id: string
  parents: readonly string[]
  message: string
  /** Created by Colophon, according to the host. */
  isByColophon: boolean
}

export interface HostUserClient {
  /** `owner/name` */
  repository: string
  pullRequest(number: number): Promise<HostPullRequest>
  /** In every state, oldest first. */
  pullRequests(): Promise<HostPullRequest[]>
  branches(): Promise<string[]>
  pullRequestDiff(number: number): Promise<string>
  /** Oldest first. */
  pullRequestCommits(number: number): Promise<HostCommit[]>
  read(path: string, branch: string): Promise<string>
  merge(number: number): Promise<void>
  close(number: number): Promise<void>
  editText(number: number, text: { title?: string; body?: string }): Promise<void>
  markReady(number: number): Promise<void>
  /** Commits one file to a branch. */
  push(branch: string, path: string, contents: string): Promise<void>
  deleteBranch(branch: string): Promise<void>
  removeLabel(number: number, name: string): Promise<void>
}

/** The pull requests from a branch with the job's id in its name. */
export const listJobPullRequests = async (person: HostUserClient, jobId: string): Promise<HostPullRequest[]> =>
  (await person.pullRequests()).filter(({ branch }) => branch.includes(jobId))

export const listJobBranches = async (person: HostUserClient, jobId: string): Promise<string[]> =>
  (await person.branches()).filter((branch) => branch.includes(jobId))
