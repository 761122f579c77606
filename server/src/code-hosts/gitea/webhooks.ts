import { isCodeHostError } from '../code-host-error.ts'
import { unlessMissing } from '../json-api.ts'
import { GiteaHook } from './gitea-answers.ts'
import type { GiteaApi } from './gitea-api.ts'

/**
 * `pull_request` alone would mean labels and reviews too. Not `status`: it names a commit, and not which branch it is on;
 * checks are asked for.
 */
const events = ['pull_request_only', 'pull_request_comment', 'repository']

export async function ensureGiteaWebhook(
  api: GiteaApi,
  { url, secret }: { url: string; secret: string },
): Promise<'ensured' | 'not_permitted'> {
  try {
    const before = await api.list('/hooks', GiteaHook)
    // Made anew each time: Gitea does not tell a hook's secret, and editing a hook leaves its secret as it was.
    const hook = { type: 'gitea', active: true, events, config: { url, content_type: 'json', secret } }
    await api.call('POST', '/hooks', GiteaHook, hook)
    for (const { id, config } of before) {
      if (config.url === url) await unlessMissing(api.run('DELETE', `/hooks/${id}`))
    }
    return 'ensured'
  } catch (error) {
    if (isCodeHostError(error, 'forbidden')) return 'not_permitted'
    throw error
  }
}
