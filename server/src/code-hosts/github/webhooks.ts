import { isCodeHostError } from '../code-host-error.ts'
import { unlessMissing } from '../json-api.ts'
import { GithubHook } from './github-answers.ts'
import type { GithubApi } from './github-api.ts'

const events = ['pull_request', 'issue_comment', 'check_run', 'status', 'deployment_status', 'repository']

/** Of a repository that was connected with a token. */
export async function ensureGithubWebhook(
  api: GithubApi,
  { url, secret }: { url: string; secret: string },
): Promise<'ensured' | 'not_permitted'> {
  const config = { url, secret, content_type: 'json', insecure_ssl: '0' }
  try {
    const hooks = await api.list('/hooks', GithubHook)
    const [kept, ...others] = hooks.filter((hook) => hook.config.url === url)
    if (kept) await api.run('PATCH', `/hooks/${kept.id}`, { active: true, events, config })
    else await api.run('POST', '/hooks', { name: 'web', active: true, events, config })
    for (const { id } of others) await unlessMissing(api.run('DELETE', `/hooks/${id}`))
    return 'ensured'
  } catch (error) {
    if (isCodeHostError(error, 'forbidden', 'not_found')) return 'not_permitted'
    throw error
  }
}

export async function mayManageGithubWebhooks(api: GithubApi): Promise<boolean> {
  try {
    await api.run('GET', '/hooks?per_page=1')
    return true
  } catch (error) {
    if (isCodeHostError(error, 'forbidden', 'not_found')) return false
    throw error
  }
}
