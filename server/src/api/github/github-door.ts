/** What routes need of GitHub; `main` brings it, as routes know of no host, and can open no secret. */
import type { GithubApp } from '../../github/app-store.ts'
import type { ArrivedVisit } from '../../github/authorization-store.ts'
import type { Id } from '../../platform/ids.ts'
import type { RepositoryTest } from '../../projects/repository-test.ts'

export interface GithubDoor {
  /** Where Apps can be made: github.com, or what the operator's settings name. */
  baseUrls: readonly string[]
  /** Exchanges the code for the new App's secrets, and stores them sealed. Throws a problem where GitHub refuses. */
  keepApp(baseUrl: string, code: string): Promise<GithubApp>
  /** Has the visitor's repositories looked up, with their own token. Throws a problem that says what is wrong. */
  exchange(visit: ArrivedVisit, code: string): Promise<void>
  /** With a token of the installation for that repository alone. */
  test(
    authorizationId: Id<'gha'>,
    wanted: { repositoryId: number; baseBranch: string; docsFolder: string },
  ): Promise<RepositoryTest>
}
