/** GitHub as routes use it. `main` provides the implementation: routes must not import code hosts, and cannot open secrets. */
import type { Actor } from '../../audit/audit-store.ts'
import type { GithubApp } from '../../github/app-store.ts'
import type { AcceptedAuthorization } from '../../github/authorization-store.ts'
import type { Id } from '../../platform/ids.ts'
import type { RepositoryTestResult } from '../../projects/repository-test-result.ts'

export interface GithubConnector {
  /** Where Apps can be created: github.com, or what the operator configured. */
  baseUrls: readonly string[]
  /** Exchanges the code for the secrets of the new App, and stores them sealed. Throws a problem if GitHub rejects the code. */
  registerApp(baseUrl: string, code: string, actor: Actor): Promise<GithubApp>
  /** Stores the repositories that the person can access, read with their own token. Throws a problem that says what is wrong. */
  exchangeCode(authorization: AcceptedAuthorization, code: string): Promise<void>
  /** Uses an installation token that is restricted to this repository. */
  testRepository(
    authorizationId: Id<'gha'>,
    repository: { repositoryId: number; baseBranch: string; docsFolder: string },
  ): Promise<RepositoryTestResult>
}
