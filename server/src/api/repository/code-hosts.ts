/** What routes need of code hosts; `main` brings it, as routes know of none. */
import type { Actor } from '../../audit/audit-store.ts'
import type { Id } from '../../platform/ids.ts'
import type { Repository, RepositoryPlace, RepositoryUse } from '../../projects/repository-store.ts'
import type { RepositoryTest } from '../../projects/repository-test.ts'

/** What is typed, but for the token. */
export type WantedRepository = RepositoryPlace & Omit<RepositoryUse, 'webhookSecret'>

export interface Templates {
  branch: string
  title: string
  body: string
}

export interface CodeHosts {
  test(wanted: WantedRepository, token: string): Promise<RepositoryTest>
  /** Tests, stores the sealed token, makes the webhook. Throws a problem where the test fails. */
  connect(projectId: Id<'prj'>, wanted: WantedRepository, token: string, actor: Actor): Promise<Repository>
  defaultTemplates: Templates
  /** In words, for the person who typed them; none: they can be saved. */
  problemsOfTemplates(templates: Templates): string[]
}
