import Type from 'typebox'
import type { PullRequestComment } from '../code-host.ts'
import { isCodeHostErrorWithCode } from '../code-host-error.ts'
import { undefinedIfNotFound } from '../json-api.ts'
import type { GiteaApi } from './gitea-api.ts'
import { GiteaComment, GiteaPermission } from './gitea-schemas.ts'

/** Gitea returns all comments in one response, without pages. */
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

/** Best effort: a missing permission or a deleted comment is ignored. */
export async function acknowledgeGiteaComment(api: GiteaApi, commentId: number): Promise<void> {
  try {
    await api.send('POST', `/issues/comments/${commentId}/reactions`, { content: 'eyes' })
  } catch (error) {
    if (!isCodeHostErrorWithCode(error, 'forbidden', 'not_found')) throw error
  }
}

const writePermissions = ['write', 'admin', 'owner']

/** Gitea reports this only to repository administrators. Without such a token, the result is false for everyone. */
export async function hasGiteaWriteAccess(api: GiteaApi, userName: string): Promise<boolean> {
  try {
    const path = `/collaborators/${encodeURIComponent(userName)}/permission`
    const found = await undefinedIfNotFound(api.call('GET', path, GiteaPermission))
    return found !== undefined && writePermissions.includes(found.permission)
  } catch (error) {
    if (isCodeHostErrorWithCode(error, 'forbidden')) return false
    throw error
  }
}
