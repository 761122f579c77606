import { commentResponse, issueResponse } from '../answers/comment.ts'
import { repositoryPage } from '../answers/repository.ts'
import type { World } from '../events.ts'
import type { PullRequestControl, SeenPullRequest } from '../github-control.ts'
import { mergePullRequest } from '../merge.ts'
import { closePullRequest, reopenPullRequest } from '../pull-request-changes.ts'
import type { Comment } from '../state.ts'
import { accountNamed, personFor, pullRequestNumbered, repositoryNamed } from './lookups.ts'

export function pullRequestControl(world: World): PullRequestControl {
  const { state, events } = world
  return {
    async pullRequests(name) {
      const repository = repositoryNamed(state, name)
      return repository.pullRequests.map(
        (one): SeenPullRequest => ({
          number: one.number,
          url: `${repositoryPage(state, repository)}/pull/${one.number}`,
          title: one.title,
          body: one.body,
          state: one.state,
          isMerged: one.merged !== null,
          isDraft: one.isDraft,
          author: one.author.login,
          headBranch: one.headBranch,
          headSha: one.headSha,
          baseBranch: one.baseBranch,
          labels: one.labels.map((label) => label.name),
          reviewers: one.reviewers.map(({ login }) => login),
          mergeCommit: one.merged?.sha ?? null,
        }),
      )
    },

    async mergePullRequest(name, number, login) {
      const repository = repositoryNamed(state, name)
      const pullRequest = pullRequestNumbered(repository, number)
      const merge = await mergePullRequest(world, repository, pullRequest, personFor(state, repository.owner, login))
      if (merge.kind !== 'merged') throw new Error(`Pull request ${number} cannot be merged: ${merge.kind}.`)
      return merge.sha
    },

    async closePullRequest(name, number, login) {
      const repository = repositoryNamed(state, name)
      await closePullRequest(
        world,
        repository,
        pullRequestNumbered(repository, number),
        personFor(state, repository.owner, login),
      )
    },

    async reopenPullRequest(name, number, login) {
      const repository = repositoryNamed(state, name)
      const pullRequest = pullRequestNumbered(repository, number)
      const isOpen = await reopenPullRequest(world, repository, pullRequest, personFor(state, repository.owner, login))
      if (!isOpen) throw new Error(`Pull request ${number} cannot be opened again.`)
    },

    async editPullRequest(name, number, { labels, ...change }) {
      const repository = repositoryNamed(state, name)
      const pullRequest = pullRequestNumbered(repository, number)
      Object.assign(pullRequest, change, { updatedAt: new Date() })
      if (labels) pullRequest.labels = repository.labels.filter((label) => labels.includes(label.name))
    },

    async comment(name, number, login, body) {
      const repository = repositoryNamed(state, name)
      const pullRequest = pullRequestNumbered(repository, number)
      const author = accountNamed(state, login)
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
      events.ofRepository(repository, 'issue_comment', author, {
        action: 'created',
        issue: issueResponse(state, repository, pullRequest),
        comment: commentResponse(state, repository, comment),
      })
      return comment.id
    },

    async reactions(name, commentId) {
      const comment = repositoryNamed(state, name).comments.find(({ id }) => id === commentId)
      return (comment?.reactions ?? []).map(({ content, user }) => ({ content, login: user.login }))
    },
  }
}
