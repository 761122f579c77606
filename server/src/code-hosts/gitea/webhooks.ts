import { isCodeHostErrorWithCode } from '../code-host-error.ts'
import { undefinedIfNotFound } from '../json-api.ts'
import type { GiteaApi } from './gitea-api.ts'
import { GiteaHook } from './gitea-schemas.ts'

/**
 * `pull_request` would include labels and reviews. Not `status`: it names a commit but not its branch, so checks are polled.
 */
const events = ['pull_request_only', 'pull_request_comment', 'repository']

export async function ensureGiteaWebhook(
  api: GiteaApi,
  { url, secret }: { url: string; secret: string },
): Promise<'ensured' | 'not_permitted'> {
  try {
    const before = await api.list('/hooks', GiteaHook)
    // Created again each time: Gitea does not return the secret of a hook, and editing a hook does not change its secret.
    const hook = { type: 'gitea', active: true, events, config: { url, content_type: 'json', secret } }
    await api.call('POST', '/hooks', GiteaHook, hook)
    for (const { id, config } of before) {
      if (config.url === url) await undefinedIfNotFound(api.send('DELETE', `/hooks/${id}`))
    }
    return 'ensured'
  } catch (error) {
    if (isCodeHostErrorWithCode(error, 'forbidden')) return 'not_permitted'
    throw error
  }
}

export async function removeGiteaWebhooks(api: GiteaApi, urlEnd: string): Promise<'removed' | 'not_permitted'> {
  try {
    for (const { id, config } of await api.list('/hooks', GiteaHook))
      if (config.url?.endsWith(urlEnd)) await undefinedIfNotFound(api.send('DELETE', `/hooks/${id}`))
    return 'removed'
  } catch (error) {
    if (isCodeHostErrorWithCode(error, 'forbidden', 'not_found', 'token_rejected')) return 'not_permitted'
    throw error
  }
}
