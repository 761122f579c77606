import type { Account, State } from '../state.ts'

export const nodeId = (kind: string, id: number | string): string => Buffer.from(`${kind}:${id}`).toString('base64')

export function accountResponse(state: State, { id, login, type }: Account) {
  const url = `${state.apiUrl}/users/${encodeURIComponent(login)}`
  return {
    login,
    id,
    node_id: nodeId(type, id),
    avatar_url: `${state.url}/avatars/u/${id}?v=4`,
    gravatar_id: '',
    url,
    html_url: type === 'Bot' ? `${state.url}/apps/${login.replace('[bot]', '')}` : `${state.url}/${login}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type,
    user_view_type: 'public',
    site_admin: false,
  }
}
