/** Connects a project to a test repository, with the code that `colophon-server admin repository connect` uses. */
import type { CodeHostConnection } from '../../server/src/code-hosts/code-host-factory.ts'
import type { HostTestRepository } from '../../server/src/code-hosts/testing/host-test-repository.ts'
import { connectRepository } from '../../server/src/main/use-cases/connect-repository.ts'
import { loadCredentialCommandConfig } from '../../server/src/platform/config.ts'
import type { Id } from '../../server/src/platform/ids.ts'
import { operator, type TestInstance } from './test-instance.ts'

export async function connectTestRepository(
  { stores, environment }: Pick<TestInstance, 'stores' | 'environment'>,
  projectId: Id<'prj'>,
  { connection }: Pick<HostTestRepository, 'connection'>,
  { docsFolder = 'docs' } = {},
): Promise<void> {
  const { host, baseUrl, owner, name } = connection
  await connectRepository({
    stores,
    projectId,
    actor: operator,
    config: loadCredentialCommandConfig(environment),
    token: tokenOf(connection),
    input: { host, baseUrl, owner, name, baseBranch: 'main', docsFolder, publishing: {} },
  })
}

function tokenOf(connection: CodeHostConnection): string {
  if (connection.host === 'gitea') return connection.token
  if (connection.access.kind === 'token') return connection.access.token
  throw new Error('The repository is connected through an App, not with a token.')
}
