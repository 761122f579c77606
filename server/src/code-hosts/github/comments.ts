import type { Static } from 'typebox'
import type { PullRequestComment } from '../code-host.ts'
import { isCodeHostErrorWithCode } from '../code-host-error.ts'
import { longTextPageSize } from '../json-api.ts'
import type { GithubApi } from './github-api.ts'
import { GithubComment, GithubPermission } from './github-schemas.ts'

/** Reads from the end: edited old comments are listed before the new ones, and there may be any number of them. */
export async function listGithubComments(api: GithubApi, number: number, since: Date): Promise<PullRequestComment[]> {
  const path = `/issues/${number}/comments?since=${encodeURIComponent(since.toISOString())}`
  const isOld = ({ created_at }: Static<typeof GithubComment>) => new Date(created_at) < since
  const found = await api.listNewest(path, GithubComment, isOld, longTextPageSize)
  // A deleted account has no write access anymore, and someone else may have taken its name.
  return found.flatMap(({ id, user, body, html_url: url, created_at: createdAt }) =>
    user === null
      ? []
      : [
          {
            id,
            url,
            author: user.login,
            isBot: user.type === 'Bot',
            text: body ?? '',
            createdAt: new Date(createdAt),
          },
        ],
  )
}

/** Best effort: a missing permission or a deleted comment is ignored. */
export async function acknowledgeGithubComment(api: GithubApi, commentId: number): Promise<void> {
  try {
    await api.send('POST', `/issues/comments/${commentId}/reactions`, { content: 'eyes' })
  } catch (error) {
    if (!isCodeHostErrorWithCode(error, 'forbidden', 'not_found', 'rejected')) throw error
  }
}

/** GitHub reports the role "maintain" as `write` and "triage" as `read`. */
export async function hasGithubWriteAccess(api: GithubApi, userName: string): Promise<boolean> {
  try {
    const path = `/collaborators/${encodeURIComponent(userName)}/permission`
    const { permission } = await api.call('GET', path, GithubPermission)
    return permission === 'write' || permission === 'admin'
  } catch (error) {
    if (isCodeHostErrorWithCode(error, 'forbidden', 'not_found')) return false
    throw error
  }
}
