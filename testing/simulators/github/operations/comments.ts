import { actorOf } from '../access.ts'
import { defineRepositoryOperation, type Operations, paginate } from '../api-call.ts'
import { notFound } from '../api-error.ts'
import { commentResponse, reactionResponse } from '../responses/comment.ts'

export const commentOperations: Operations = {
  'issues/list-comments': defineRepositoryOperation(['issues:read', 'pull_requests:read'], (call) => {
    const { repository, state, params, query } = call
    const number = Number(params.issue_number)
    if (!repository.pullRequests.some((pullRequest) => pullRequest.number === number)) throw notFound()
    const since = query.since === undefined ? new Date(0) : new Date(String(query.since))
    const found = repository.comments.filter((comment) => comment.number === number && comment.updatedAt >= since)
    const { items, headers } = paginate(found, call)
    return { status: 200, body: items.map((comment) => commentResponse(state, repository, comment)), headers }
  }),

  // GitHub's table of permissions lists this only under issues. On pull requests, `pull_requests` is known to be enough.
  'reactions/create-for-issue-comment': defineRepositoryOperation(['issues:write', 'pull_requests:write'], (call) => {
    const { repository, state, params, caller } = call
    const comment = repository.comments.find(({ id }) => id === Number(params.comment_id))
    if (!comment) throw notFound()
    const user = actorOf(caller)
    const content = String(call.body.content)
    const existing = comment.reactions.find((reaction) => reaction.user === user && reaction.content === content)
    if (existing) return { status: 200, body: reactionResponse(state, existing) }
    const reaction = { id: state.nextId(), user, content, createdAt: new Date() }
    comment.reactions.push(reaction)
    return { status: 201, body: reactionResponse(state, reaction) }
  }),
}
