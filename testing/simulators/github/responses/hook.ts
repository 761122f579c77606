import type { Hook, Repository, State } from '../state.ts'
import { formatGithubTime, repositoryApiUrl } from './repository.ts'

export function hookResponse(state: State, repository: Repository, hook: Hook) {
  const url = `${repositoryApiUrl(state, repository)}/hooks/${hook.id}`
  return {
    type: 'Repository',
    id: hook.id,
    name: 'web',
    active: hook.isActive,
    events: hook.events,
    config: {
      content_type: hook.contentType,
      insecure_ssl: '0',
      url: hook.url,
      ...(hook.secret && { secret: '********' }), // GitHub never returns the secret
    },
    updated_at: formatGithubTime(hook.updatedAt),
    created_at: formatGithubTime(hook.createdAt),
    url,
    test_url: `${url}/test`,
    ping_url: `${url}/pings`,
    deliveries_url: `${url}/deliveries`,
    last_response: { code: null, status: 'unused', message: null },
  }
}
