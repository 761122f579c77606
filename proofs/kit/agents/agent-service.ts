/** Colophon with real runners: pi in its box, the scripted model behind the gateway, docs on the real Gitea. */

import type { ColophonProcess } from '../../../dev-services/colophon.ts'
import { makeProject, prepareProcess, runColophon } from '../../../dev-services/colophon.ts'
import type { Call } from '../../../dev-services/model/call-log.ts'
import type { Script } from '../../../dev-services/model/script.ts'
import { type Client, createClient } from '../../../sdk/src/index.ts'
import type { CraftedFiles } from '../../../server/src/code-hosts/testing/craft-commit.ts'
import { createGiteaRepository, type GiteaRepository } from '../../../server/src/code-hosts/testing/gitea-repository.ts'
import type { ModelFormat } from '../../../server/src/models/model.ts'
import type { ProofRun } from '../../proof.ts'
import { type RunningService, runningService } from '../running-service.ts'

export interface AgentService extends RunningService {
  api: ColophonProcess
  worker: ColophonProcess
  /** `COLOPHON_GATEWAY_URL` and the like are set; its log is `runner.log`. */
  startRunner(settings?: Record<string, string>): Promise<ColophonProcess>
  addModel(model: AddedModel): Promise<void>
  connectProject(name: string, files?: CraftedFiles, docsFolder?: string): Promise<AgentProject>
  /** What reached the model's vendor. */
  modelCalls(since?: number): Promise<Call[]>
}

export interface AgentProject {
  projectId: string
  key: string
  client: Client
  repository: GiteaRepository
}

interface AddedModel {
  name: string
  format: ModelFormat
  /** What it does where the prompt does not say. */
  script?: string
  isDefault?: boolean
  /** The vendor's. */
  key?: string
}

/** In US dollars per million tokens: far apart, so that no two can be mistaken for each other. */
export const prices = { input: 3, output: 15, cacheRead: 0.5, cacheWrite: 7 }

export async function agentService(
  run: ProofRun,
  purpose: string,
  workerSettings: Record<string, string> = {},
): Promise<AgentService> {
  const service = await runningService(run, purpose)
  const { environment, directory, gitea, modelUrl } = service
  const [api, worker] = await Promise.all([service.startApi(), service.startWorker(workerSettings)])
  return {
    ...service,
    api,
    worker,
    async startRunner(settings = {}) {
      const token =
        settings.COLOPHON_RUNNER_TOKEN ??
        (await runColophon(['admin', 'runner', 'create', '--name', 'runner'], { environment }))
      const own = { COLOPHON_GATEWAY_URL: worker.url, ...settings, COLOPHON_RUNNER_TOKEN: token }
      const runner = await prepareProcess('runner', { environment: own, directory })
      run.cleanUp(() => runner.part.stop())
      await runner.part.start()
      return runner
    },
    async addModel({ name, format, script, isDefault = false, key = 'key' }) {
      const where = ['--name', name, '--format', format, '--url', `${modelUrl}/v1`]
      const sizes = ['--context-window', '200000', '--max-output', '32000']
      const costs = Object.entries(prices).flatMap(([kind, price]) => [
        `--${kind.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)}-price`,
        String(price),
      ])
      const more = [...(script ? ['--provider-model', `scripted/${script}`] : []), ...(isDefault ? ['--default'] : [])]
      await runColophon(['admin', 'model', 'add', ...where, ...sizes, ...costs, ...more], { environment, stdin: key })
    },
    async connectProject(name, files, docsFolder = 'docs') {
      const { projectId, key } = await makeProject(environment, name)
      const repository = await createGiteaRepository(gitea, files)
      run.cleanUp(repository.remove)
      const where = ['--host', 'gitea', '--url', gitea.url, '--repository', `${repository.owner}/${repository.name}`]
      await runColophon(
        [
          'admin',
          'repository',
          'connect',
          '--project',
          projectId,
          ...where,
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
      return (await (await fetch(`${modelUrl}/calls?since=${since}`)).json()) as Call[]
    },
  }
}

/** A prompt that says what the model does. */
export const played = (words: string, script: Script): string =>
  `${words}\n\n\`\`\`script\n${JSON.stringify(script)}\n\`\`\`\n`

export const closing = (title: string, summary: string): string =>
  `Done.\n\n<pull-request>\n<title>${title}</title>\n<summary>\n${summary}\n</summary>\n</pull-request>`
