import type { Comment, PullRequest, Repository, State } from '../state.ts'
import { accountResponse, nodeId } from './account.ts'
import { authorAssociation, labelResponse, pullRequestListItemResponse } from './pull-request.ts'
import { formatGithubTime, repositoryApiUrl, repositoryPageUrl } from './repository.ts'

const contents = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'eyes', 'rocket'] as const

function reactionsResponse(url: string, reactions: Comment['reactions']) {
  const counts = contents.map((content) => [
    content,
    reactions.filter((reaction) => reaction.content === content).length,
  ])
  return { url: `${url}/reactions`, total_count: reactions.length, ...Object.fromEntries(counts) }
}

export function commentResponse(state: State, repository: Repository, comment: Comment) {
  const api = repositoryApiUrl(state, repository)
  const url = `${api}/issues/comments/${comment.id}`
  return {
    id: comment.id,
    node_id: nodeId('IssueComment', comment.id),
    url,
    html_url: `${repositoryPageUrl(state, repository)}/pull/${comment.number}#issuecomment-${comment.id}`,
    issue_url: `${api}/issues/${comment.number}`,
    body: comment.body,
    user: accountResponse(state, comment.author),
    created_at: formatGithubTime(comment.createdAt),
    updated_at: formatGithubTime(comment.updatedAt),
    author_association: authorAssociation(repository, comment.author),
    reactions: reactionsResponse(url, comment.reactions),
    performed_via_github_app: null,
  }
}

export const reactionResponse = (state: State, { id, user, content, createdAt }: Comment['reactions'][number]) => ({
  id,
  node_id: nodeId('Reaction', id),
  user: accountResponse(state, user),
  content,
  created_at: formatGithubTime(createdAt),
})

/** A pull request as an issue, as in events about comments. */
export function issueResponse(state: State, repository: Repository, pullRequest: PullRequest) {
  const listItem = pullRequestListItemResponse(state, repository, pullRequest)
  const url = listItem.issue_url
  return {
    url,
    repository_url: repositoryApiUrl(state, repository),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: listItem.html_url,
    id: pullRequest.id,
    node_id: listItem.node_id,
    number: pullRequest.number,
    title: pullRequest.title,
    user: listItem.user,
    labels: pullRequest.labels.map((label) => labelResponse(state, repository, label)),
    state: pullRequest.state,
    locked: false,
    assignee: null,
    assignees: [],
    milestone: null,
    comments: repository.comments.filter(({ number }) => number === pullRequest.number).length,
    created_at: listItem.created_at,
    updated_at: listItem.updated_at,
    closed_at: listItem.closed_at,
    author_association: listItem.author_association,
    active_lock_reason: null,
    draft: pullRequest.isDraft,
    pull_request: {
      url: listItem.url,
      html_url: listItem.html_url,
      diff_url: listItem.diff_url,
      patch_url: listItem.patch_url,
      merged_at: listItem.merged_at,
    },
    body: pullRequest.body,
    reactions: reactionsResponse(url, []),
    timeline_url: `${url}/timeline`,
    performed_via_github_app: null,
    state_reason: null,
  }
}
