/** A migrated test instance on the shared services, a directory for logs, and the environment of its processes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runColophonCommand, sealingKeySettings } from '../../dev-services/colophon-process.ts'
import { createEmptyTestInstance, type EmptyTestInstance } from '../../dev-services/empty-test-instance.ts'
import { findOrStartServices } from '../../dev-services/running-services.ts'
import type { ServiceAddresses } from '../../dev-services/start-services.ts'
import type { ProofRun } from '../proof.ts'

export interface ProofInstance {
  instance: EmptyTestInstance
  environment: Record<string, string>
  /** Contains the logs: `api.log` and so on. */
  directory: string
  gitea: ServiceAddresses['gitea']
  github: ServiceAddresses['github']
  modelUrl: string
}

export async function createProofInstance(run: ProofRun, purpose: string): Promise<ProofInstance> {
  const services = await findOrStartServices()
  run.cleanUp(services.release)
  const instance = await createEmptyTestInstance(services.addresses, purpose)
  run.cleanUp(instance.drop)
  await runColophonCommand(['migrate'], instance)
  const directory = mkdtempSync(join(tmpdir(), 'colophon-proof-'))
  run.cleanUp(async () => rmSync(directory, { recursive: true, force: true }))
  const { gitea, github, modelUrl } = services.addresses
  const environment = {
    ...instance.environment,
    ...(await sealingKeySettings()),
    COLOPHON_EGRESS_ALLOWED_HOSTS: [gitea.url, github.url, modelUrl].map((url) => new URL(url).host).join(','),
  }
  return { instance, environment, directory, gitea, github, modelUrl }
}
