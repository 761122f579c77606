import type { CodeHost } from '../code-hosts/code-host.ts'
import { openCodeHost } from '../code-hosts/open-code-host.ts'
import type { Egress } from '../platform/egress/egress.ts'
import type { Id } from '../platform/ids.ts'
import type { Opener } from '../platform/sealed-secrets/sealed-secret.ts'
import type { CredentialStore } from '../projects/credential-store.ts'
import type { Repository, RepositoryStore } from '../projects/repository-store.ts'

/** A project's repository, and its code host with the project's own token. Undefined: none is connected. */
export type OpenProject = (projectId: Id<'prj'>) => Promise<{ repository: Repository; host: CodeHost } | undefined>

export function createOpenProject({
  repositories,
  credentials,
  opener,
  egress,
}: {
  repositories: RepositoryStore
  credentials: CredentialStore
  opener: Opener
  egress: Egress
}): OpenProject {
  return async (projectId) => {
    const repository = await repositories.find(projectId)
    const token = repository && (await credentials.open(projectId, repository.tokenCredentialId, opener))
    if (!repository || token === undefined) return undefined
    const { host, baseUrl, owner, name } = repository
    return { repository, host: openCodeHost({ host, baseUrl, owner, name, token }, egress) }
  }
}
