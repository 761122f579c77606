/** Colophon with something to lose. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runColophon } from '../../../dev-services/colophon.ts'
import type { ProofRun } from '../../proof.ts'
import { type AgentProject, type AgentService, agentService } from '../agents/agent-service.ts'
import { type Outside, plantOutside } from './outside.ts'
import type { Secrets } from './planted-secrets.ts'

export interface Stage {
  service: AgentService
  outside: Outside
  /** Whose agents are hostile. */
  project: AgentProject
  /** That they have nothing to do with. */
  others: AgentProject
  /** Its own for one that is counted, as the vendor knows it too. */
  spentModel: string
  runnerToken: string
  secrets: Secrets
  /** Empty as long as nothing on the host does what a work tree says. */
  canaryDirectory: string
}

export async function setStage(run: ProofRun): Promise<Stage> {
  const service = await agentService(run, 'sandbox')
  const { environment, gitea, modelUrl, worker } = service
  const name = `hostile-${randomBytes(6).toString('hex')}`
  const modelKey = `vendor-${randomBytes(24).toString('hex')}`
  const format = 'anthropic-messages'
  const [runnerToken, project, others] = await Promise.all([
    runColophon(['admin', 'runner', 'create', '--name', 'hostile'], { environment }),
    service.connectProject('Hostile'),
    service.connectProject('Others'),
    service.addModel({ name, format, isDefault: true, key: modelKey }),
    service.addModel({ name: `${name}-spent`, format, key: modelKey }),
  ])
  const database = new URL(service.instance.postgresUrl)
  const outside = await plantOutside(run, {
    giteaUrl: gitea.url,
    modelUrl,
    gatewayUrl: worker.url,
    postgresPort: database.port,
  })
  const canaryDirectory = await mkdtemp(join(tmpdir(), 'colophon-canary-'))
  run.cleanUp(() => rm(canaryDirectory, { recursive: true, force: true }))
  const privateKeys = Object.entries(environment).filter(([name]) => /PRIVATE/.test(name))
  if (privateKeys.length === 0) throw new Error('no private key is among the settings')
  const secrets = {
    'the planted secret': outside.secret,
    "the model's key": modelKey,
    "the runner's token": runnerToken,
    "the code host's token": gitea.adminToken,
    ...(database.password && { "the database's password": decodeURIComponent(database.password) }),
    ...Object.fromEntries(privateKeys),
  }
  return { service, outside, project, others, runnerToken, spentModel: `${name}-spent`, secrets, canaryDirectory }
}
