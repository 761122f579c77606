import type { CodeHost } from '../code-hosts/code-host.ts'
import type { CodeHostConnection, CodeHostFactory } from '../code-hosts/code-host-factory.ts'
import { type GithubAppStore, openPrivateKey } from '../github/app-store.ts'
import type { Id } from '../platform/ids.ts'
import type { Opener, Sealer } from '../platform/sealed-secrets/sealed-secret.ts'
import type { CredentialStore } from '../projects/credential-store.ts'
import type { Repository, RepositoryStore } from '../projects/repository-store.ts'

export interface OpenedProjectRepository {
  repository: Repository
  host: CodeHost
}

/**
 * Opens a project's repository on its code host, with the project's own credentials. Undefined: none is connected. `signal` aborts
 * calls in progress and prevents further ones.
 */
export type ProjectRepositoryOpener = (
  projectId: Id<'prj'>,
  signal?: AbortSignal,
) => Promise<OpenedProjectRepository | undefined>

export function createProjectRepositoryOpener({
  repositories,
  credentials,
  githubApps,
  opener,
  sealer,
  openCodeHost,
}: {
  repositories: Pick<RepositoryStore, 'find'>
  credentials: CredentialStore
  githubApps: GithubAppStore
  opener: Opener
  sealer: Sealer
  openCodeHost: CodeHostFactory
}): ProjectRepositoryOpener {
  const connectionTo = async (
    projectId: Id<'prj'>,
    { host, baseUrl, owner, name, access, hostRepositoryId: repositoryId }: Repository,
  ): Promise<CodeHostConnection | undefined> => {
    if (access.kind === 'installation') {
      const app = await githubApps.find(baseUrl)
      if (!app) return undefined
      const privateKeyPem = await openPrivateKey(app, opener)
      const { installationId } = access
      const appAccess = { kind: 'installation', appId: app.appId, privateKeyPem, installationId } as const
      return { host: 'github', baseUrl, owner, name, repositoryId, access: appAccess }
    }
    const token = await credentials.open(projectId, { id: access.credentialId, baseUrl }, { opener, sealer })
    if (token === undefined) return undefined
    return host === 'github'
      ? { host, baseUrl, owner, name, repositoryId, access: { kind: 'token', token } }
      : { host, baseUrl, owner, name, token }
  }
  const open: ProjectRepositoryOpener = async (projectId, signal) => {
    const repository = await repositories.find(projectId)
    const connection = repository && (await connectionTo(projectId, repository))
    return connection && { repository, host: openCodeHost(connection, signal) }
  }
  // Tried twice: the repository may have been reconnected in between, which deletes the previous token.
  return async (projectId, signal) => (await open(projectId, signal)) ?? (await open(projectId, signal))
}
