/** A repository with some docs on a real Gitea, connected to a project the way an operator connects one. */
import { runColophonCommand } from '../../dev-services/colophon-process.ts'
import {
  createGiteaTestRepository,
  type GiteaTestRepository,
} from '../../server/src/code-hosts/testing/gitea-test-repository.ts'
import type { TestService } from './test-service.ts'

export async function connectExampleRepository(
  { gitea, environment }: Pick<TestService, 'gitea' | 'environment'>,
  projectId: string,
): Promise<GiteaTestRepository> {
  const repository = await createGiteaTestRepository(gitea)
  const repositoryOptions = [
    '--host',
    'gitea',
    '--url',
    gitea.url,
    '--repository',
    `${repository.owner}/${repository.name}`,
  ]
  await runColophonCommand(
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
