/** Colophon with real runners: pi in its sandbox, the scripted model behind the gateway, docs on the real Gitea. */

import type { ColophonProcess } from '../../../dev-services/colophon-process.ts'
import { createProject, prepareColophonProcess, runColophonCommand } from '../../../dev-services/colophon-process.ts'
import type { LoggedModelCall } from '../../../dev-services/model/call-log.ts'
import type { Script } from '../../../dev-services/model/script.ts'
import { type Client, createClient } from '../../../sdk/src/index.ts'
import type { CraftedFiles } from '../../../server/src/code-hosts/testing/craft-commit.ts'
import {
  createGiteaTestRepository,
  type GiteaTestRepository,
} from '../../../server/src/code-hosts/testing/gitea-test-repository.ts'
import type { ModelFormat } from '../../../server/src/models/model.ts'
import type { ProofRun } from '../../proof.ts'
import { prepareTestService, type TestService } from '../test-service.ts'

export interface AgentService extends TestService {
  api: ColophonProcess
  worker: ColophonProcess
  /** Sets `COLOPHON_GATEWAY_URL` and the runner token, unless given. The log is `runner.log`. */
  startRunner(settings?: Record<string, string>): Promise<ColophonProcess>
  addModel(model: AddedModel): Promise<void>
  connectProject(name: string, files?: CraftedFiles, docsFolder?: string): Promise<AgentProject>
  /** The calls that reached the model provider. */
  modelCalls(since?: number): Promise<LoggedModelCall[]>
}

export interface AgentProject {
  projectId: string
  key: string
  client: Client
  repository: GiteaTestRepository
}

interface AddedModel {
  name: string
  format: ModelFormat
  /** The script for prompts that contain none. */
  script?: string
  isDefault?: boolean
  /** The provider's API key. */
  key?: string
}

/** In US dollars per million tokens. The prices differ widely, so that a mix-up shows in the cost. */
export const modelPricesPerMillionTokens = { input: 3, output: 15, cacheRead: 0.5, cacheWrite: 7 }

export async function startAgentService(
  run: ProofRun,
  purpose: string,
  workerSettings: Record<string, string> = {},
): Promise<AgentService> {
  const service = await prepareTestService(run, purpose)
  const { environment, directory, gitea, modelUrl } = service
  const [api, worker] = await Promise.all([service.startApi(), service.startWorker(workerSettings)])
  return {
    ...service,
    api,
    worker,
    async startRunner(settings = {}) {
      const token =
        settings.COLOPHON_RUNNER_TOKEN ??
        (await runColophonCommand(['admin', 'runner', 'create', '--name', 'runner'], { environment }))
      const runnerEnvironment = { COLOPHON_GATEWAY_URL: worker.url, ...settings, COLOPHON_RUNNER_TOKEN: token }
      const runner = await prepareColophonProcess('runner', { environment: runnerEnvironment, directory })
      run.cleanUp(() => runner.process.stop())
      await runner.process.start()
      return runner
    },
    async addModel({ name, format, script, isDefault = false, key = 'key' }) {
      const identity = ['--name', name, '--format', format, '--url', `${modelUrl}/v1`]
      const sizes = ['--context-window', '200000', '--max-output', '32000']
      const priceOptions = Object.entries(modelPricesPerMillionTokens).flatMap(([kind, price]) => [
        `--${kind.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)}-price`,
        String(price),
      ])
      const optional = [
        ...(script ? ['--provider-model', `scripted/${script}`] : []),
        ...(isDefault ? ['--default'] : []),
      ]
      await runColophonCommand(['admin', 'model', 'add', ...identity, ...sizes, ...priceOptions, ...optional], {
        environment,
        stdin: key,
      })
    },
    async connectProject(name, files, docsFolder = 'docs') {
      const { projectId, key } = await createProject(environment, name)
      const repository = await createGiteaTestRepository(gitea, files)
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
          docsFolder,
        ],
        { environment, stdin: gitea.adminToken },
      )
      return { projectId, key, client: createClient({ baseUrl: api.url, apiKey: key }), repository }
    },
    async modelCalls(since = 0) {
      return (await (await fetch(`${modelUrl}/calls?since=${since}`)).json()) as LoggedModelCall[]
    },
  }
}

/** A prompt with the script that the model follows. */
export const promptWithScript = (instruction: string, script: Script): string =>
  `${instruction}\n\n\`\`\`script\n${JSON.stringify(script)}\n\`\`\`\n`

/** The last reply of an agent that changed something. */
export const formatFinalAgentReply = (title: string, summary: string): string =>
  `Done.\n\n<pull-request>\n<title>${title}</title>\n<summary>\n${summary}\n</summary>\n</pull-request>`
