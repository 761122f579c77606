/** A corner of the shared engines with its tables made, a directory for logs, and the settings of every process there. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runColophon, sealingKeySettings } from '../../engines/colophon.ts'
import { shareEngines } from '../../engines/running-engines.ts'
import { createScope, type EngineScope } from '../../engines/scope.ts'
import type { EngineAddresses } from '../../engines/start-engines.ts'
import type { ProofRun } from '../proof.ts'

export interface MigratedCorner {
  scope: EngineScope
  environment: Record<string, string>
  /** Of its logs: `api.log` and so on. */
  directory: string
  gitea: EngineAddresses['gitea']
  github: EngineAddresses['github']
  modelUrl: string
}

export async function migratedCorner(run: ProofRun, purpose: string): Promise<MigratedCorner> {
  const engines = await shareEngines()
  run.cleanUp(engines.release)
  const scope = await createScope(engines.addresses, purpose)
  run.cleanUp(scope.drop)
  await runColophon(['migrate'], scope)
  const directory = mkdtempSync(join(tmpdir(), 'colophon-proof-'))
  run.cleanUp(async () => rmSync(directory, { recursive: true, force: true }))
  const { gitea, github, modelUrl } = engines.addresses
  const environment = {
    ...scope.environment,
    ...(await sealingKeySettings()),
    COLOPHON_EGRESS_ALLOWED_HOSTS: [gitea.url, github.url, modelUrl].map((url) => new URL(url).host).join(','),
  }
  return { scope, environment, directory, gitea, github, modelUrl }
}
