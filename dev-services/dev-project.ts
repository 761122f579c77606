/** A project on which a job can run to its pull request: a repository on Gitea, the scripted model, a runner's token. */
import { createGiteaRepository } from '../server/src/code-hosts/testing/gitea-repository.ts'
import { makeProject, runColophon } from './colophon.ts'
import type { ServiceAddresses } from './start-services.ts'

export interface DevProject {
  projectId: string
  key: string
  repositoryUrl: string
  runnerToken: string
  remove(): Promise<void>
}

export async function makeDevProject(
  environment: Record<string, string>,
  { gitea, modelUrl }: ServiceAddresses,
): Promise<DevProject> {
  const admin = (stdin: string, ...args: string[]) => runColophon(['admin', ...args], { environment, stdin })
  const size = ['--context-window', '200000', '--max-output', '8000']
  const model = [
    '--name',
    'scripted',
    '--format',
    'anthropic-messages',
    '--url',
    `${modelUrl}/v1`,
    ...size,
    '--default',
  ]
  const [project, repository, runnerToken] = await Promise.all([
    makeProject(environment, 'My docs'),
    createGiteaRepository(gitea),
    admin('', 'runner', 'create', '--name', 'development'),
    admin('any key will do', 'model', 'add', ...model),
  ])
  const place = `${repository.owner}/${repository.name}`
  const where = [
    '--host',
    'gitea',
    '--url',
    gitea.url,
    '--repository',
    place,
    '--branch',
    'main',
    '--docs-folder',
    'docs',
  ]
  await admin(gitea.adminToken, 'repository', 'connect', '--project', project.projectId, ...where)
  return { ...project, runnerToken, repositoryUrl: `${gitea.url}/${place}`, remove: repository.remove }
}
