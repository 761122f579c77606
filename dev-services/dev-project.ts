/**
 * The project of `npm run dev`: a public repository on Gitea, the scripted model and a runner token, enough for a pull
 * request.
 */
import { createGiteaTestRepository } from '../server/src/code-hosts/testing/gitea-test-repository.ts'
import { createProject, runColophonCommand } from './colophon-process.ts'
import type { ServiceAddresses } from './start-services.ts'

export interface DevProject {
  projectId: string
  apiKey: string
  repositoryUrl: string
  runnerToken: string
  remove(): Promise<void>
}

export async function createDevProject(
  environment: Record<string, string>,
  { gitea, modelUrl }: ServiceAddresses,
): Promise<DevProject> {
  const admin = (stdin: string, ...args: string[]) => runColophonCommand(['admin', ...args], { environment, stdin })
  const model = [
    '--name',
    'scripted',
    '--format',
    'anthropic-messages',
    '--url',
    `${modelUrl}/v1`,
    '--context-window',
    '200000',
    '--max-output',
    '8000',
    '--default',
  ]
  const [project, repository, runnerToken] = await Promise.all([
    createProject(environment, 'My docs'),
    createGiteaTestRepository(gitea),
    admin('', 'runner', 'create', '--name', 'development'),
    admin('any-key', 'model', 'add', ...model),
  ])
  // Public, so that the link to a pull request opens without signing in to Gitea.
  await repository.callAsAdmin('PATCH', '', { private: false })
  const fullName = `${repository.owner}/${repository.name}`
  const connection = [
    '--host',
    'gitea',
    '--url',
    gitea.url,
    '--repository',
    fullName,
    '--branch',
    'main',
    '--docs-folder',
    'docs',
  ]
  await admin(gitea.adminToken, 'repository', 'connect', '--project', project.projectId, ...connection)
  return {
    projectId: project.projectId,
    apiKey: project.key,
    runnerToken,
    repositoryUrl: `${gitea.url}/${fullName}`,
    remove: repository.remove,
  }
}
