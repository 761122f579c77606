import type { Static } from 'typebox'
import type { PullRequestComment } from '../code-host.ts'
import { isCodeHostError } from '../code-host-error.ts'
import { longTextsPerPage } from '../json-api.ts'
import { GithubComment, GithubPermission } from './github-answers.ts'
import type { GithubApi } from './github-api.ts'

/** From the end: whoever changes old comments puts them before the new ones, as many as they like. */
export async function listGithubComments(api: GithubApi, number: number, since: Date): Promise<PullRequestComment[]> {
  const path = `/issues/${number}/comments?since=${encodeURIComponent(since.toISOString())}`
  const isOld = ({ created_at }: Static<typeof GithubComment>) => new Date(created_at) < since
  const found = await api.listEnd(path, GithubComment, isOld, longTextsPerPage)
  // Whoever left GitHub may not write any more, and their old name may be somebody else's.
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

/** A courtesy: a token that may not, or a comment that is gone meanwhile, keeps nothing from happening. */
export async function acknowledgeGithubComment(api: GithubApi, commentId: number): Promise<void> {
  try {
    await api.run('POST', `/issues/comments/${commentId}/reactions`, { content: 'eyes' })
  } catch (error) {
    if (!isCodeHostError(error, 'forbidden', 'not_found', 'rejected')) throw error
  }
}

/** "Maintain" is told as `write`, "triage" as `read`. */
export async function mayWriteToGithub(api: GithubApi, userName: string): Promise<boolean> {
  try {
    const path = `/collaborators/${encodeURIComponent(userName)}/permission`
    const { permission } = await api.call('GET', path, GithubPermission)
    return permission === 'write' || permission === 'admin'
  } catch (error) {
    if (isCodeHostError(error, 'forbidden', 'not_found')) return false
    throw error
  }
}
