import { isCodeHostErrorWithCode } from '../code-host-error.ts'
import { undefinedIfNotFound } from '../json-api.ts'
import type { GithubApi } from './github-api.ts'
import { GithubHook } from './github-schemas.ts'

const events = ['pull_request', 'issue_comment', 'check_run', 'status', 'deployment_status', 'repository']

/** Only for repositories that were connected with a token. */
export async function ensureGithubWebhook(
  api: GithubApi,
  { url, secret }: { url: string; secret: string },
): Promise<'ensured' | 'not_permitted'> {
  const config = { url, secret, content_type: 'json', insecure_ssl: '0' }
  try {
    const hooks = await api.list('/hooks', GithubHook)
    const [existing, ...duplicates] = hooks.filter((hook) => hook.config.url === url)
    if (existing) await api.send('PATCH', `/hooks/${existing.id}`, { active: true, events, config })
    else await api.send('POST', '/hooks', { name: 'web', active: true, events, config })
    for (const { id } of duplicates) await undefinedIfNotFound(api.send('DELETE', `/hooks/${id}`))
    return 'ensured'
  } catch (error) {
    if (isCodeHostErrorWithCode(error, 'forbidden', 'not_found')) return 'not_permitted'
    throw error
  }
}

export async function removeGithubWebhooks(api: GithubApi, urlEnd: string): Promise<'removed' | 'not_permitted'> {
  try {
    for (const { id, config } of await api.list('/hooks', GithubHook))
      if (config.url?.endsWith(urlEnd)) await undefinedIfNotFound(api.send('DELETE', `/hooks/${id}`))
    return 'removed'
  } catch (error) {
    if (isCodeHostErrorWithCode(error, 'forbidden', 'not_found', 'token_rejected')) return 'not_permitted'
    throw error
  }
}

export async function canManageGithubWebhooks(api: GithubApi): Promise<boolean> {
  try {
    await api.send('GET', '/hooks?per_page=1')
    return true
  } catch (error) {
    if (isCodeHostErrorWithCode(error, 'forbidden', 'not_found')) return false
    throw error
  }
}
