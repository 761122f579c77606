import Type from 'typebox'
import type { PullRequestComment } from '../code-host.ts'
import { isCodeHostError } from '../code-host-error.ts'
import { unlessMissing } from '../json-api.ts'
import { GiteaComment, GiteaPermission } from './gitea-answers.ts'
import type { GiteaApi } from './gitea-api.ts'

/** All at once: Gitea does not give these by pages. */
export async function listGiteaComments(api: GiteaApi, number: number, since: Date): Promise<PullRequestComment[]> {
  const path = `/issues/${number}/comments?since=${encodeURIComponent(since.toISOString())}`
  const found = await api.call('GET', path, Type.Array(GiteaComment))
  return found.map(({ id, user, body, html_url: url, created_at: createdAt }) => ({
    id,
    url,
    author: user.login,
    isBot: null,
    text: body,
    createdAt: new Date(createdAt),
  }))
}

/** A courtesy: a token that may not, or a comment that is gone meanwhile, keeps nothing from happening. */
export async function acknowledgeGiteaComment(api: GiteaApi, commentId: number): Promise<void> {
  try {
    await api.run('POST', `/issues/comments/${commentId}/reactions`, { content: 'eyes' })
  } catch (error) {
    if (!isCodeHostError(error, 'forbidden', 'not_found')) throw error
  }
}

const writing = ['write', 'admin', 'owner']

/** Gitea tells it to administrators of the repository only. Without that, nobody counts as one who may. */
export async function mayWriteToGitea(api: GiteaApi, userName: string): Promise<boolean> {
  try {
    const path = `/collaborators/${encodeURIComponent(userName)}/permission`
    const found = await unlessMissing(api.call('GET', path, GiteaPermission))
    return found !== undefined && writing.includes(found.permission)
  } catch (error) {
    if (isCodeHostError(error, 'forbidden')) return false
    throw error
  }
}
