/** A person on the GitHub simulator: reads through GitHub's own API, acts as on its pages. */

import type { PullRequestSnapshot as SeenOnGithub } from '@colophon/github-simulator/control'
import type { GithubTestRepository } from '../../../server/src/code-hosts/testing/github-test-repository.ts'
import type { HostPullRequest, HostUserClient } from './host-user-client.ts'

interface GithubCommit {
  sha: string
  parents: { sha: string }[]
  author: { type: string } | null
  commit: { message: string; verification: { verified: boolean } }
}

export function createGithubUserClient(repository: GithubTestRepository): HostUserClient {
  const { id, control, owner, name } = repository
  const pullRequests = async () => (await control.pullRequests(id)).map(toHostPullRequest)
  const find = async (number: number) => {
    const pullRequest = (await control.pullRequests(id)).find((candidate) => candidate.number === number)
    if (!pullRequest) throw new Error(`There is no pull request ${number}.`)
    return pullRequest
  }
  return {
    repository: `${owner}/${name}`,
    pullRequests,
    pullRequest: async (number) => toHostPullRequest(await find(number)),
    branches: async () => Object.keys(await control.branches(id)),
    async pullRequestDiff(number) {
      const { headBranch, baseBranch } = await find(number)
      return repository.readDiff(baseBranch, headBranch)
    },
    async pullRequestCommits(number) {
      const commits = (await repository.callAsOwner('GET', `/pulls/${number}/commits?per_page=100`)) as GithubCommit[]
      return commits.map(({ sha, parents, author, commit }) => ({
        id: sha,
        parents: parents.map((parent) => parent.sha),
        message: commit.message,
        isByColophon: author?.type === 'Bot' && commit.verification.verified,
      }))
    },
    async read(path, branch) {
      const contents = await control.readFile(id, branch, path)
      if (contents === null) throw new Error(`There is no ${path} on ${branch}.`)
      return contents
    },
    merge: async (number) => void (await control.mergePullRequest(id, number)),
    close: (number) => control.closePullRequest(id, number),
    editText: (number, text) => control.editPullRequest(id, number, text),
    markReady: (number) => control.editPullRequest(id, number, { isDraft: false }),
    async push(branch, path, contents) {
      for (;;) {
        try {
          await control.pushFile(id, branch, path, contents)
          return
        } catch (error) {
          // Of two concurrent changes of a branch, one finds it moved.
          if (!String(error).includes('was changed in the meantime')) throw error
        }
      }
    },
    deleteBranch: (branch) => control.deleteBranch(id, branch),
    async removeLabel(number, label) {
      const { labels } = await find(number)
      await control.editPullRequest(id, number, { labels: labels.filter((name) => name !== label) })
    },
  }
}

const toHostPullRequest = (pullRequest: SeenOnGithub): HostPullRequest => ({
  number: pullRequest.number,
  url: pullRequest.url,
  title: pullRequest.title,
  body: pullRequest.body ?? '',
  isDraft: pullRequest.isDraft,
  branch: pullRequest.headBranch,
  labels: pullRequest.labels,
  reviewers: pullRequest.reviewers,
  state: pullRequest.isMerged ? 'merged' : pullRequest.state,
})
