import type { Hook, Repository, State } from '../state.ts'
import { repositoryUrl, timeResponse } from './repository.ts'

export function hookResponse(state: State, repository: Repository, hook: Hook) {
  const url = `${repositoryUrl(state, repository)}/hooks/${hook.id}`
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
    updated_at: timeResponse(hook.updatedAt),
    created_at: timeResponse(hook.createdAt),
    url,
    test_url: `${url}/test`,
    ping_url: `${url}/pings`,
    deliveries_url: `${url}/deliveries`,
    last_response: { code: null, status: 'unused', message: null },
  }
}
