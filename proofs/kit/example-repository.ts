/** A repository with some docs on a real Gitea, connected to a project the way an operator connects one. */
import { runColophon } from '../../dev-services/colophon-process.ts'
import { createGiteaRepository, type GiteaRepository } from '../../server/src/code-hosts/testing/gitea-repository.ts'
import type { TestService } from './test-service.ts'

export async function connectExampleRepository(
  { gitea, environment }: Pick<TestService, 'gitea' | 'environment'>,
  projectId: string,
): Promise<GiteaRepository> {
  const repository = await createGiteaRepository(gitea)
  const repositoryOptions = [
    '--host',
    'gitea',
    '--url',
    gitea.url,
    '--repository',
    `${repository.owner}/${repository.name}`,
  ]
  await runColophon(
    [
      'admin',
      'repository',
      'connect',
      '--project',
      projectId,
      ...repositoryOptions,
      '--branch',
      'main',
      '--docs-folder',
      'docs',
    ],
    { environment, stdin: gitea.adminToken },
  )
  return repository
}
