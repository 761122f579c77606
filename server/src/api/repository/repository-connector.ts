/** The code hosts as routes use them. `main` provides the implementation, because routes must not import code hosts. */
import type { Actor } from '../../audit/audit-store.ts'
import type { Id } from '../../platform/ids.ts'
import type { Repository, RepositoryLocation, RepositorySettings } from '../../projects/repository-store.ts'
import type { RepositoryTestResult } from '../../projects/repository-test-result.ts'

/** The connection as the user entered it, without the token. */
export type RepositoryInput = RepositoryLocation & Omit<RepositorySettings, 'webhookSecret'>

export interface PublishingTemplates {
  branch: string
  title: string
  body: string
}

export interface RepositoryConnector {
  test(repository: RepositoryInput, token: string): Promise<RepositoryTestResult>
  /** Tests the connection, stores the sealed token and creates the webhook. Throws a problem if the test fails. */
  connect(projectId: Id<'prj'>, repository: RepositoryInput, token: string, actor: Actor): Promise<Repository>
  defaultTemplates: PublishingTemplates
  /** Messages for the person who entered the templates. Empty if the templates are valid. */
  validateTemplates(templates: PublishingTemplates): string[]
}
