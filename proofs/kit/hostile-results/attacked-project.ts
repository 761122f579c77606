/** A project with its own runners, whose repository has files that results must not change. */
import { createProject, runColophonCommand } from '../../../dev-services/colophon-process.ts'
import { type Client, createClient } from '../../../sdk/src/index.ts'
import {
  createGiteaTestRepository,
  type GiteaTestRepository,
} from '../../../server/src/code-hosts/testing/gitea-test-repository.ts'
import { attackedFiles } from '../../../server/src/code-hosts/testing/hostile-result.ts'
import type { ProofRun } from '../../proof.ts'
import type { TestService } from '../test-service.ts'

export interface AttackedProject {
  projectId: string
  client: Client
  repository: GiteaTestRepository
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
  const repository = await createGiteaTestRepository(gitea, attackedFiles)
  run.cleanUp(repository.remove)
  const location = ['--host', 'gitea', '--url', gitea.url, '--repository', `${repository.owner}/${repository.name}`]
  await runColophonCommand(
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
      runColophonCommand(['admin', 'runner', 'create', '--name', runner, '--projects', projectId], { environment }),
  }
}
