/** The installation page: a person gives an App access to repositories of an account. */
import { coveredRepositories, emitInstallationRepositories, installApp } from '../apps.ts'
import type { Account, App, Installation, Repository, State } from '../state.ts'
import type { SimulatorContext } from '../webhook-event-emitter.ts'
import { issueAuthorizationCode } from './authorize.ts'
import {
  html,
  type PageCall,
  type PageResponse,
  page,
  pageNotFound,
  redirect,
  redirectToSignIn,
  withQuery,
} from './page.ts'

export function handleInstallAppPage(simulator: SimulatorContext, call: PageCall, slug: string): PageResponse {
  const { state } = simulator
  if (!call.user) return redirectToSignIn(call)
  const app = [...state.apps.values()].find((candidate) => candidate.slug === slug)
  if (!app) return pageNotFound()
  const accounts = installableAccounts(state, app, call.user)
  const targetId = call.url.searchParams.get('target_id')
  const account = accounts.length === 1 ? accounts[0] : accounts.find(({ id }) => String(id) === targetId)
  if (!account) return chooseAccount(app, accounts, call)
  const installation = [...state.installations.values()].find(
    (candidate) => candidate.app === app && candidate.account === account,
  )
  if (call.method !== 'POST') return chooseRepositories(state, app, account, installation, call)

  const own = repositoriesOf(state, account)
  const ids = new Set(call.form.getAll('repository_ids').map(Number))
  const selected = call.form.get('install_target') === 'all' ? null : own.filter(({ id }) => ids.has(id))
  if (selected?.length === 0) return chooseRepositories(state, app, account, installation, call)
  if (installation) return updateInstallation(simulator, installation, selected, call.user)
  return redirect(urlAfterInstall(simulator, installApp(simulator, app, account, selected, call.user), call.user, call))
}

/** A private App can only be installed on its owner's account. */
const installableAccounts = (state: State, app: App, user: Account): Account[] =>
  [...state.accounts.values()]
    .filter((account) => account === user || account.owners.has(user.login.toLowerCase()))
    .filter((account) => app.isPublic || account === app.owner)

const repositoriesOf = (state: State, account: Account): Repository[] =>
  [...state.repositories.values()].filter(({ owner }) => owner === account)

function chooseAccount(app: App, accounts: readonly Account[], { url }: PageCall): PageResponse {
  if (accounts.length === 0) return pageNotFound()
  const links = accounts.map(({ id, login }) => {
    const query = new URLSearchParams(url.searchParams)
    query.set('target_id', String(id))
    return html`<li><a href="${`${url.pathname}?${query}`}">${login}</a></li>`
  })
  return page(`Install ${app.name}`, html`<p>Where do you want to install ${app.name}?</p><ul>${links}</ul>`)
}

function chooseRepositories(
  state: State,
  app: App,
  account: Account,
  installation: Installation | undefined,
  { url, method }: PageCall,
): PageResponse {
  const covered = new Set(installation ? coveredRepositories(state, installation) : [])
  const checkboxes = repositoriesOf(state, account).map(
    (repository) =>
      html`<p><label><input type="checkbox" name="repository_ids" value="${repository.id}"${
        covered.has(repository) ? html` checked` : ''
      }> ${account.login}/${repository.name}</label></p>`,
  )
  return page(
    `Install ${app.name}`,
    html`${method === 'POST' ? html`<p role="alert">Select at least one repository.</p>` : ''}
<p>Install on your account ${account.login}</p>
<form method="post" action="${url.pathname + url.search}">
<p><label><input type="radio" name="install_target" value="all"> All repositories</label></p>
<p><label><input type="radio" name="install_target" value="selected" checked> Only select repositories</label></p>
<fieldset><legend>Repositories</legend>${checkboxes}</fieldset>
<p><button>${installation ? 'Save' : 'Install'}</button></p>
</form>`,
  )
}

function updateInstallation(
  simulator: SimulatorContext,
  installation: Installation,
  selected: readonly Repository[] | null,
  user: Account,
): PageResponse {
  const before = new Set(coveredRepositories(simulator.state, installation))
  installation.repositories = selected && new Set(selected.map(({ id }) => id))
  const after = new Set(coveredRepositories(simulator.state, installation))
  const added = [...after.difference(before)]
  const removed = [...before.difference(after)]
  if (added.length > 0) emitInstallationRepositories(simulator, installation, { added }, user)
  if (removed.length > 0) emitInstallationRepositories(simulator, installation, { removed }, user)
  return page(installation.app.name, html`<p role="status">The installation was updated.</p>`)
}

function urlAfterInstall(
  { state }: SimulatorContext,
  { id, app }: Installation,
  user: Account,
  { url }: PageCall,
): string {
  const query = { installation_id: String(id), setup_action: 'install', state: url.searchParams.get('state') }
  const [callback] = app.callbackUrls
  if (app.requestsOauthOnInstall && callback !== undefined) {
    return withQuery(callback, { code: issueAuthorizationCode(state, app, user, { redirectUri: callback }), ...query })
  }
  return app.setupUrl ? withQuery(app.setupUrl, query) : `${state.url}/settings/installations/${id}`
}
