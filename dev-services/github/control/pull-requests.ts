import type { PullRequestControl, PullRequestSnapshot } from '../github-control.ts'
import { mergePullRequest } from '../merge.ts'
import { closePullRequest, reopenPullRequest } from '../pull-request-changes.ts'
import { commentResponse, issueResponse } from '../responses/comment.ts'
import { repositoryPageUrl } from '../responses/repository.ts'
import type { Comment } from '../state.ts'
import type { SimulatorContext } from '../webhook-event-emitter.ts'
import { actingPerson, requireAccount, requirePullRequest, requireRepository } from './lookups.ts'

export function createPullRequestControl(simulator: SimulatorContext): PullRequestControl {
  const { state, events } = simulator
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

    async mergePullRequest(name, number, login) {
      const repository = requireRepository(state, name)
      const pullRequest = requirePullRequest(repository, number)
      const merge = await mergePullRequest(
        simulator,
        repository,
        pullRequest,
        actingPerson(state, repository.owner, login),
      )
      if (merge.kind !== 'merged') throw new Error(`Pull request ${number} cannot be merged: ${merge.kind}.`)
      return merge.sha
    },

    async closePullRequest(name, number, login) {
      const repository = requireRepository(state, name)
      await closePullRequest(
        simulator,
        repository,
        requirePullRequest(repository, number),
        actingPerson(state, repository.owner, login),
      )
    },

    async reopenPullRequest(name, number, login) {
      const repository = requireRepository(state, name)
      const pullRequest = requirePullRequest(repository, number)
      const isOpen = await reopenPullRequest(
        simulator,
        repository,
        pullRequest,
        actingPerson(state, repository.owner, login),
      )
      if (!isOpen) throw new Error(`Pull request ${number} cannot be reopened.`)
    },

    async editPullRequest(name, number, { labels, ...change }) {
      const repository = requireRepository(state, name)
      const pullRequest = requirePullRequest(repository, number)
      Object.assign(pullRequest, change, { updatedAt: new Date() })
      if (labels) pullRequest.labels = repository.labels.filter((label) => labels.includes(label.name))
    },

    async comment(name, number, login, body) {
      const repository = requireRepository(state, name)
      const pullRequest = requirePullRequest(repository, number)
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
