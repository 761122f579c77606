/** Somebody on the stand-in for GitHub: what they see through GitHub's own API, and what they do on its pages. */

import type { SeenPullRequest as SeenOnGithub } from '../../../dev-services/github/github-control.ts'
import type { GithubRepository } from '../../../server/src/code-hosts/testing/github-repository.ts'
import type { HostPerson, SeenPullRequest } from './host-person.ts'

interface GithubCommit {
  sha: string
  parents: { sha: string }[]
  author: { type: string } | null
  commit: { message: string; verification: { verified: boolean } }
}

export function githubPerson(repository: GithubRepository): HostPerson {
  const { id, control, owner, name } = repository
  const pullRequests = async () => (await control.pullRequests(id)).map(asSeen)
  const found = async (number: number) => {
    const one = (await control.pullRequests(id)).find((pullRequest) => pullRequest.number === number)
    if (!one) throw new Error(`There is no pull request ${number}.`)
    return one
  }
  return {
    repository: `${owner}/${name}`,
    pullRequests,
    pullRequest: async (number) => asSeen(await found(number)),
    branches: async () => Object.keys(await control.branches(id)),
    async diffOf(number) {
      const { headBranch, baseBranch } = await found(number)
      return repository.diffBetween(baseBranch, headBranch)
    },
    async commitsOf(number) {
      const commits = (await repository.asOwner('GET', `/pulls/${number}/commits?per_page=100`)) as GithubCommit[]
      return commits.map(({ sha, parents, author, commit }) => ({
        id: sha,
        parents: parents.map((parent) => parent.sha),
        message: commit.message,
        isOurs: author?.type === 'Bot' && commit.verification.verified,
      }))
    },
    async read(path, branch) {
      const contents = await control.file(id, branch, path)
      if (contents === null) throw new Error(`There is no ${path} on ${branch}.`)
      return contents
    },
    merge: async (number) => void (await control.mergePullRequest(id, number)),
    close: (number) => control.closePullRequest(id, number),
    rewrite: (number, words) => control.editPullRequest(id, number, words),
    declareReady: (number) => control.editPullRequest(id, number, { isDraft: false }),
    push: async (branch, path, contents) => void (await control.pushFile(id, branch, path, contents)),
    deleteBranch: (branch) => control.deleteBranch(id, branch),
    async removeLabel(number, label) {
      const { labels } = await found(number)
      await control.editPullRequest(id, number, { labels: labels.filter((one) => one !== label) })
    },
  }
}

const asSeen = (seen: SeenOnGithub): SeenPullRequest => ({
  number: seen.number,
  url: seen.url,
  title: seen.title,
  body: seen.body ?? '',
  isDraft: seen.isDraft,
  branch: seen.headBranch,
  labels: seen.labels,
  reviewers: seen.reviewers,
  state: seen.isMerged ? 'merged' : seen.state,
})
