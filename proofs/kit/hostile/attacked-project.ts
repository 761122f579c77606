/** A project whose repository has much to attack, and runners of its own. */
import { makeProject, runColophon } from '../../../dev-services/colophon.ts'
import { type Client, createClient } from '../../../sdk/src/index.ts'
import { createGiteaRepository, type GiteaRepository } from '../../../server/src/code-hosts/testing/gitea-repository.ts'
import { attackedFiles } from '../../../server/src/code-hosts/testing/hostile-result.ts'
import type { ProofRun } from '../../proof.ts'
import type { RunningService } from '../running-service.ts'

export interface AttackedProject {
  projectId: string
  client: Client
  repository: GiteaRepository
  /** Of a new runner that gets turns of this project alone. */
  makeRunner(name: string): Promise<string>
}

export async function attackedProject(
  run: ProofRun,
  { environment, gitea }: RunningService,
  apiUrl: string,
  name: string,
): Promise<AttackedProject> {
  const { projectId, key } = await makeProject(environment, name)
  const repository = await createGiteaRepository(gitea, attackedFiles)
  run.cleanUp(repository.remove)
  const where = ['--host', 'gitea', '--url', gitea.url, '--repository', `${repository.owner}/${repository.name}`]
  await runColophon(
    ['admin', 'repository', 'connect', '--project', projectId, ...where, '--branch', 'main', '--docs-folder', 'docs'],
    { environment, stdin: gitea.adminToken },
  )
  return {
    projectId,
    client: createClient({ baseUrl: apiUrl, apiKey: key }),
    repository,
    makeRunner: (runner) =>
      runColophon(['admin', 'runner', 'create', '--name', runner, '--projects', projectId], { environment }),
  }
}
