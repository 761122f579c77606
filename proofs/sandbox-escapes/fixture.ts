/** Colophon with secrets, services and a second project as targets of the attacks. */

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ProjectWithClient, type RunningColophon, startColophon } from '../../testing/harness/colophon.ts'
import { addScriptedModel } from '../../testing/harness/scripted-model.ts'
import type { ProofRun } from '../proof.ts'
import { type AttackTargets, createAttackTargets } from './attack-targets.ts'
import type { Secrets } from './leaked-secrets.ts'

export interface SandboxFixture {
  colophon: RunningColophon
  targets: AttackTargets
  /** The project whose agents are hostile. */
  project: ProjectWithClient
  /** Another project, which they must not reach. */
  others: ProjectWithClient
  /** A model of its own for the budget attack, so that its calls can be counted at the provider. */
  budgetModel: string
  runnerToken: string
  secrets: Secrets
  /** Stays empty unless something on the host runs a command from a work tree. */
  canaryDirectory: string
}

export async function createSandboxFixture(run: ProofRun): Promise<SandboxFixture> {
  const colophon = await startColophon(run, 'sandbox')
  const { addresses, environment, worker } = colophon
  const name = `hostile-${randomBytes(6).toString('hex')}`
  const modelKey = `provider-${randomBytes(24).toString('hex')}`
  const format = 'anthropic-messages'
  const [runnerToken, project, others] = await Promise.all([
    colophon.createRunnerToken(),
    colophon.connectProject('Hostile'),
    colophon.connectProject('Others'),
    addScriptedModel(colophon, { name, format, isDefault: true, key: modelKey }),
    addScriptedModel(colophon, { name: `${name}-budget`, format, key: modelKey }),
  ])
  const database = new URL(colophon.postgresUrl)
  const targets = await createAttackTargets(run, {
    giteaUrl: addresses.gitea.url,
    modelUrl: addresses.modelUrl,
    gatewayUrl: worker.url,
    postgresPort: database.port,
  })
  const canaryDirectory = await mkdtemp(join(tmpdir(), 'colophon-canary-'))
  run.cleanUp(() => rm(canaryDirectory, { recursive: true, force: true }))
  const privateKeys = Object.entries(environment).filter(([name]) => /PRIVATE/.test(name))
  if (privateKeys.length === 0) throw new Error('the settings contain no private key')
  const secrets = {
    'the planted secret': targets.secret,
    "the model provider's API key": modelKey,
    "the runner's token": runnerToken,
    "the code host's token": addresses.gitea.adminToken,
    ...(database.password && { "the database's password": decodeURIComponent(database.password) }),
    ...Object.fromEntries(privateKeys),
  }
  return {
    colophon,
    targets,
    project,
    others,
    runnerToken,
    budgetModel: `${name}-budget`,
    secrets,
    canaryDirectory,
  }
}
