import type { PullRequestControl, PullRequestSnapshot, RepositoryReference } from '../github-control.ts'
import { mergePullRequest } from '../merge.ts'
import { closePullRequest, reopenPullRequest } from '../pull-request-changes.ts'
import { commentResponse, issueResponse } from '../responses/comment.ts'
import { repositoryPageUrl } from '../responses/repository.ts'
import { type Comment, fullName } from '../state.ts'
import type { SimulatorContext } from '../webhook-event-emitter.ts'
import { actingPerson, requireAccount, requireRepository } from './lookups.ts'

export function createPullRequestControl(simulator: SimulatorContext): PullRequestControl {
  const { state, events } = simulator

  /** The pull request, and the person who acts on it: the repository's owner. */
  function find(name: RepositoryReference, number: number) {
    const repository = requireRepository(state, name)
    const pullRequest = repository.pullRequests.find((candidate) => candidate.number === number)
    if (!pullRequest) throw new Error(`${fullName(repository)} has no pull request ${number}.`)
    return { repository, pullRequest, by: actingPerson(state, repository) }
  }

  return {
    async pullRequests(name) {
      const repository = requireRepository(state, name)
      return repository.pullRequests.map(
        (pullRequest): PullRequestSnapshot => ({
          number: pullRequest.number,
          url: `${repositoryPageUrl(state, repository)}/pull/${pullRequest.number}`,
          title: pullRequest.title,
          body: pullRequest.body,
          state: pullRequest.state,
          isMerged: pullRequest.merged !== null,
          isDraft: pullRequest.isDraft,
          author: pullRequest.author.login,
          headBranch: pullRequest.headBranch,
          headSha: pullRequest.headSha,
          baseBranch: pullRequest.baseBranch,
          labels: pullRequest.labels.map((label) => label.name),
          reviewers: pullRequest.reviewers.map(({ login }) => login),
          mergeCommit: pullRequest.merged?.sha ?? null,
        }),
      )
    },

    async mergePullRequest(name, number) {
      const { repository, pullRequest, by } = find(name, number)
      const merge = await mergePullRequest(simulator, repository, pullRequest, by)
      if (merge.kind !== 'merged') throw new Error(`Pull request ${number} cannot be merged: ${merge.kind}.`)
      return merge.sha
    },

    async closePullRequest(name, number) {
      const { repository, pullRequest, by } = find(name, number)
      await closePullRequest(simulator, repository, pullRequest, by)
    },

    async reopenPullRequest(name, number) {
      const { repository, pullRequest, by } = find(name, number)
      const isOpen = await reopenPullRequest(simulator, repository, pullRequest, by)
      if (!isOpen) throw new Error(`Pull request ${number} cannot be reopened.`)
    },

    async editPullRequest(name, number, { labels, ...change }) {
      const { repository, pullRequest } = find(name, number)
      Object.assign(pullRequest, change, { updatedAt: new Date() })
      if (labels) pullRequest.labels = repository.labels.filter((label) => labels.includes(label.name))
    },

    async comment(name, number, login, body) {
      const { repository, pullRequest } = find(name, number)
      const author = requireAccount(state, login)
      const now = new Date()
      const comment: Comment = {
        id: state.nextId(),
        number,
        author,
        body,
        createdAt: now,
        updatedAt: now,
        reactions: [],
      }
      repository.comments.push(comment)
      events.emitRepositoryEvent(repository, 'issue_comment', author, {
        action: 'created',
        issue: issueResponse(state, repository, pullRequest),
        comment: commentResponse(state, repository, comment),
      })
      return comment.id
    },

    async reactions(name, commentId) {
      const comment = requireRepository(state, name).comments.find(({ id }) => id === commentId)
      return (comment?.reactions ?? []).map(({ content, user }) => ({ content, login: user.login }))
    },
  }
}
