/** The project of `npm run dev`: a public repository on Gitea and the scripted model, enough for a pull request. */
import { createGiteaTestRepository } from '../server/src/code-hosts/testing/gitea-test-repository.ts'
import { connectTestRepository } from '../testing/harness/connect-test-repository.ts'
import { addScriptedModel } from '../testing/harness/scripted-model.ts'
import type { TestInstance } from '../testing/harness/test-instance.ts'
import type { ServiceAddresses } from '../testing/services/start-services.ts'

export interface DevProject {
  projectId: string
  apiKey: string
  repositoryUrl: string
  remove(): Promise<void>
}

export async function createDevProject(instance: TestInstance, addresses: ServiceAddresses): Promise<DevProject> {
  const { gitea } = addresses
  const model = { name: 'scripted', format: 'anthropic-messages', isDefault: true } as const
  await addScriptedModel({ addModel: instance.addModel, addresses }, model)
  const { projectId, secret } = await instance.createProject('My docs')
  const repository = await createGiteaTestRepository(gitea)
  await connectTestRepository(instance, projectId, repository)
  // Public, so that the link to a pull request opens without signing in to Gitea.
  await repository.callAsAdmin('PATCH', '', { private: false })
  return {
    projectId,
    apiKey: secret,
    repositoryUrl: `${gitea.url}/${repository.owner}/${repository.name}`,
    remove: repository.remove,
  }
}
