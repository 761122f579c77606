/** A repository with some docs on the real Gitea, connected to a project as an operator would. */
import { runColophon } from '../../dev-services/colophon.ts'
import { createGiteaRepository, type GiteaRepository } from '../../server/src/code-hosts/testing/gitea-repository.ts'
import type { RunningService } from './running-service.ts'

export async function connectExampleRepository(
  { gitea, environment }: Pick<RunningService, 'gitea' | 'environment'>,
  projectId: string,
): Promise<GiteaRepository> {
  const repository = await createGiteaRepository(gitea)
  const where = ['--host', 'gitea', '--url', gitea.url, '--repository', `${repository.owner}/${repository.name}`]
  await runColophon(
    ['admin', 'repository', 'connect', '--project', projectId, ...where, '--branch', 'main', '--docs-folder', 'docs'],
    { environment, stdin: gitea.adminToken },
  )
  return repository
}
