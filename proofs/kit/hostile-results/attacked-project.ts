/** A project with its own runners, whose repository has files that results must not change. */
import { createProject, runColophon } from '../../../dev-services/colophon-process.ts'
import { type Client, createClient } from '../../../sdk/src/index.ts'
import { createGiteaRepository, type GiteaRepository } from '../../../server/src/code-hosts/testing/gitea-repository.ts'
import { attackedFiles } from '../../../server/src/code-hosts/testing/hostile-result.ts'
import type { ProofRun } from '../../proof.ts'
import type { TestService } from '../test-service.ts'

export interface AttackedProject {
  projectId: string
  client: Client
  repository: GiteaRepository
  /** Returns the token of a new runner that gets turns of this project only. */
  createRunner(name: string): Promise<string>
}

export async function createAttackedProject(
  run: ProofRun,
  { environment, gitea }: TestService,
  apiUrl: string,
  name: string,
): Promise<AttackedProject> {
  const { projectId, key } = await createProject(environment, name)
  const repository = await createGiteaRepository(gitea, attackedFiles)
  run.cleanUp(repository.remove)
  const location = ['--host', 'gitea', '--url', gitea.url, '--repository', `${repository.owner}/${repository.name}`]
  await runColophon(
    [
      'admin',
      'repository',
      'connect',
      '--project',
      projectId,
      ...location,
      '--branch',
      'main',
      '--docs-folder',
      'docs',
    ],
    { environment, stdin: gitea.adminToken },
  )
  return {
    projectId,
    client: createClient({ baseUrl: apiUrl, apiKey: key }),
    repository,
    createRunner: (runner) =>
      runColophon(['admin', 'runner', 'create', '--name', runner, '--projects', projectId], { environment }),
  }
}
