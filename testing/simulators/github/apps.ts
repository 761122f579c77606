/** GitHub Apps: creation from a manifest, installation on accounts. */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { accountResponse } from './responses/account.ts'
import { installationResponse, shortRepositoryResponse } from './responses/app.ts'
import {
  type Account,
  type App,
  type Installation,
  isRepositoryCovered,
  newSecret,
  type Permissions,
  type Repository,
  type State,
} from './state.ts'
import type { SimulatorContext } from './webhook-event-emitter.ts'

/** See https://docs.github.com/apps/sharing-github-apps/registering-a-github-app-from-a-manifest. */
export interface AppManifest {
  name?: string
  url: string
  hook_attributes?: { url: string; active?: boolean }
  redirect_url?: string
  callback_urls?: string[]
  setup_url?: string
  description?: string
  public?: boolean
  default_events?: string[]
  default_permissions?: Permissions
  request_oauth_on_install?: boolean
  setup_on_update?: boolean
}

const manifestFields = new Set([
  'name',
  'url',
  'hook_attributes',
  'redirect_url',
  'callback_urls',
  'setup_url',
  'description',
  'public',
  'default_events',
  'default_permissions',
  'request_oauth_on_install',
  'setup_on_update',
])

/** The permission that an App needs to receive an event. */
const permissionByEvent: Record<string, string> = {
  pull_request: 'pull_requests',
  issue_comment: 'issues',
  check_run: 'checks',
  status: 'statuses',
  deployment_status: 'deployments',
  repository: 'metadata',
  push: 'contents',
}

const maxNameCharacters = 34

/** Error messages for the page on which GitHub rejects a manifest. */
export function manifestErrors(state: State, manifest: AppManifest, name: string): string[] {
  const permissions = manifest.default_permissions ?? {}
  return [
    ...Object.keys(manifest)
      .filter((field) => !manifestFields.has(field))
      .map((field) => `${field} is not a field of a manifest`),
    ...(manifest.url ? [] : ['url is missing']),
    ...(name ? [] : ['Name is missing']),
    ...(name.length > maxNameCharacters ? [`Name is longer than ${maxNameCharacters} characters`] : []),
    ...([...state.apps.values()].some(({ slug }) => slug === slugOf(name)) ? ['Name is already taken'] : []),
    ...((manifest.callback_urls ?? []).length > 10 ? ['more than 10 callback URLs'] : []),
    ...(manifest.default_events ?? [])
      .filter((event) => !permissions[permissionByEvent[event] ?? ''])
      .map((event) => `Default events: ${event} is not supported by permissions`),
  ]
}

const slugOf = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

export function createApp(state: State, owner: Account, manifest: AppManifest, name: string): App {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' }, // the format of GitHub's keys
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const now = new Date()
  const id = state.nextId()
  const slug = slugOf(name)
  const { hook_attributes: hook } = manifest
  const app: App = {
    id,
    slug,
    name,
    owner,
    clientId: `Iv23li${randomBytes(7).toString('hex')}`,
    clientSecret: newSecret(''),
    privateKeyPem: privateKey,
    publicKeyPem: publicKey,
    webhook: {
      id: state.nextId(),
      url: hook?.url ?? '',
      secret: hook ? newSecret('') : '',
      contentType: 'json',
      events: [],
      isActive: hook !== undefined && hook.active !== false,
      createdAt: now,
      updatedAt: now,
    },
    permissions: { ...manifest.default_permissions, metadata: 'read' },
    events: manifest.default_events ?? [],
    url: manifest.url,
    callbackUrls: manifest.callback_urls ?? [],
    setupUrl: manifest.setup_url ?? null,
    requestsOauthOnInstall: manifest.request_oauth_on_install ?? false,
    isPublic: manifest.public ?? false,
    bot: state.addAccount(`${slug}[bot]`, 'Bot', ''),
    createdAt: now,
  }
  state.apps.set(id, app)
  return app
}

export function installApp(
  { state, events }: SimulatorContext,
  app: App,
  account: Account,
  repositories: readonly Repository[] | null,
  by: Account,
): Installation {
  const existing = [...state.installations.values()].find(
    (candidate) => candidate.app === app && candidate.account === account,
  )
  if (existing) throw new Error(`${app.name} is already installed on ${account.login}.`)
  const installation: Installation = {
    id: state.nextId(),
    app,
    account,
    repositories: repositories && new Set(repositories.map(({ id }) => id)),
    permissions: { ...app.permissions },
    suspendedAt: null,
    createdAt: new Date(),
  }
  state.installations.set(installation.id, installation)
  events.emitInstallationEvent(installation, 'installation', {
    action: 'created',
    installation: installationResponse(state, installation),
    repositories: coveredRepositories(state, installation).map(shortRepositoryResponse),
    requester: null,
    sender: accountResponse(state, by),
  })
  return installation
}

export const coveredRepositories = (state: State, installation: Installation): Repository[] =>
  [...state.repositories.values()].filter((repository) => isRepositoryCovered(installation, repository))

/** Also deletes its tokens. */
export function uninstall({ state, events }: SimulatorContext, installation: Installation, by: Account): void {
  const repositories = coveredRepositories(state, installation).map(shortRepositoryResponse)
  state.installations.delete(installation.id)
  for (const [text, token] of state.tokens) {
    if (token.kind === 'installation' && token.installation === installation) state.tokens.delete(text)
  }
  events.emitInstallationEvent(installation, 'installation', {
    action: 'deleted',
    installation: installationResponse(state, installation),
    repositories,
    sender: accountResponse(state, by),
  })
}

export function setInstallationSuspended(
  { state, events }: SimulatorContext,
  installation: Installation,
  isSuspended: boolean,
  by: Account,
): void {
  installation.suspendedAt = isSuspended ? new Date() : null
  events.emitInstallationEvent(installation, 'installation', {
    action: isSuspended ? 'suspend' : 'unsuspend',
    installation: installationResponse(state, installation),
    repositories: coveredRepositories(state, installation).map(shortRepositoryResponse),
    sender: accountResponse(state, by),
  })
}

export function emitInstallationRepositories(
  { state, events }: SimulatorContext,
  installation: Installation,
  change: { added: readonly Repository[] } | { removed: readonly Repository[] },
  by: Account,
): void {
  const [added, removed] = 'added' in change ? [change.added, []] : [[], change.removed]
  events.emitInstallationEvent(installation, 'installation_repositories', {
    action: 'added' in change ? 'added' : 'removed',
    installation: installationResponse(state, installation),
    repository_selection: installation.repositories ? 'selected' : 'all',
    repositories_added: added.map(shortRepositoryResponse),
    repositories_removed: removed.map(shortRepositoryResponse),
    requester: null,
    sender: accountResponse(state, by),
  })
}
