import { type App, fullName, type Installation, type Repository, type State } from '../state.ts'
import { accountResponse, nodeId } from './account.ts'
import { formatGithubTime } from './repository.ts'

export const appResponse = (state: State, app: App) => ({
  id: app.id,
  slug: app.slug,
  node_id: nodeId('Integration', app.id),
  client_id: app.clientId,
  owner: accountResponse(state, app.owner),
  name: app.name,
  description: '',
  external_url: app.url,
  html_url: `${state.url}/apps/${app.slug}`,
  created_at: formatGithubTime(app.createdAt),
  updated_at: formatGithubTime(app.createdAt),
  permissions: app.permissions,
  events: app.events,
})

export function installationResponse(state: State, { id, app, account, ...installation }: Installation) {
  const page = account.type === 'Organization' ? `/organizations/${account.login}` : ''
  return {
    id,
    account: accountResponse(state, account),
    repository_selection: installation.repositories ? 'selected' : 'all',
    access_tokens_url: `${state.apiUrl}/app/installations/${id}/access_tokens`,
    repositories_url: `${state.apiUrl}/installation/repositories`,
    html_url: `${state.url}${page}/settings/installations/${id}`,
    app_id: app.id,
    app_slug: app.slug,
    client_id: app.clientId,
    target_id: account.id,
    target_type: account.type,
    permissions: installation.permissions,
    events: app.events,
    created_at: formatGithubTime(installation.createdAt),
    updated_at: formatGithubTime(installation.createdAt),
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: installation.suspendedAt ? accountResponse(state, account) : null,
    suspended_at: installation.suspendedAt ? formatGithubTime(installation.suspendedAt) : null,
  }
}

/** The short form of a repository in events about installations. */
export const shortRepositoryResponse = (repository: Repository) => ({
  id: repository.id,
  node_id: nodeId('Repository', repository.id),
  name: repository.name,
  full_name: fullName(repository),
  private: repository.isPrivate,
})
