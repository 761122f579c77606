import { type App, fullName, type Installation, type Repository, type State } from '../state.ts'
import { accountAnswer, nodeId } from './account.ts'
import { timeAnswer } from './repository.ts'

export const appAnswer = (state: State, app: App) => ({
  id: app.id,
  slug: app.slug,
  node_id: nodeId('Integration', app.id),
  client_id: app.clientId,
  owner: accountAnswer(state, app.owner),
  name: app.name,
  description: '',
  external_url: app.url,
  html_url: `${state.url}/apps/${app.slug}`,
  created_at: timeAnswer(app.createdAt),
  updated_at: timeAnswer(app.createdAt),
  permissions: app.permissions,
  events: app.events,
})

export function installationAnswer(state: State, { id, app, account, ...installation }: Installation) {
  const page = account.type === 'Organization' ? `/organizations/${account.login}` : ''
  return {
    id,
    account: accountAnswer(state, account),
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
    created_at: timeAnswer(installation.createdAt),
    updated_at: timeAnswer(installation.createdAt),
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: installation.suspendedAt ? accountAnswer(state, account) : null,
    suspended_at: installation.suspendedAt ? timeAnswer(installation.suspendedAt) : null,
  }
}

/** As events about installations name repositories. */
export const shortRepositoryAnswer = (repository: Repository) => ({
  id: repository.id,
  node_id: nodeId('Repository', repository.id),
  name: repository.name,
  full_name: fullName(repository),
  private: repository.isPrivate,
})
