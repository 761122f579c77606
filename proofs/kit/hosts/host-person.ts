/** Somebody who looks at a repository on its code host, pushes to it, and merges or closes pull requests. */
export interface SeenPullRequest {
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

export interface SeenCommit {
  id: string
  parents: readonly string[]
  message: string
  /** Made by Colophon, as far as the host tells. */
  isOurs: boolean
}

export interface HostPerson {
  /** `owner/name` */
  repository: string
  pullRequest(number: number): Promise<SeenPullRequest>
  /** In every state, oldest first. */
  pullRequests(): Promise<SeenPullRequest[]>
  branches(): Promise<string[]>
  diffOf(number: number): Promise<string>
  /** Oldest first. */
  commitsOf(number: number): Promise<SeenCommit[]>
  read(path: string, branch: string): Promise<string>
  merge(number: number): Promise<void>
  close(number: number): Promise<void>
  rewrite(number: number, words: { title?: string; body?: string }): Promise<void>
  declareReady(number: number): Promise<void>
  /** A commit of one file on a branch. */
  push(branch: string, path: string, contents: string): Promise<void>
  deleteBranch(branch: string): Promise<void>
  removeLabel(number: number, name: string): Promise<void>
}

/** Those from a branch with the job's id in its name. */
export const pullRequestsOf = async (person: HostPerson, jobId: string): Promise<SeenPullRequest[]> =>
  (await person.pullRequests()).filter(({ branch }) => branch.includes(jobId))

export const branchesOf = async (person: HostPerson, jobId: string): Promise<string[]> =>
  (await person.branches()).filter((branch) => branch.includes(jobId))
