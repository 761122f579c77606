/** Colophon on shared engines, in a corner of its own, for proofs that kill no engine. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ColophonProcess, prepareProcess, runColophon, sealingKeySettings } from '../../engines/colophon.ts'
import { shareEngines } from '../../engines/running-engines.ts'
import { shortTimers } from '../../engines/running-jobs.ts'
import { createScope, type EngineScope } from '../../engines/scope.ts'
import type { EngineAddresses } from '../../engines/start-engines.ts'
import type { ProofRun } from '../proof.ts'

export interface RunningService {
  scope: EngineScope
  /** The settings of every process here. */
  environment: Record<string, string>
  /** Of its logs: `api.log` and so on. */
  directory: string
  gitea: EngineAddresses['gitea']
  modelUrl: string
  startApi(settings?: Record<string, string>): Promise<ColophonProcess>
  /** With short timers. */
  startWorker(settings?: Record<string, string>): Promise<ColophonProcess>
}

export async function runningService(run: ProofRun, purpose: string): Promise<RunningService> {
  const engines = await shareEngines()
  run.cleanUp(engines.release)
  const scope = await createScope(engines.addresses, purpose)
  run.cleanUp(scope.drop)
  await runColophon(['migrate'], scope)
  const directory = mkdtempSync(join(tmpdir(), 'colophon-proof-'))
  run.cleanUp(async () => rmSync(directory, { recursive: true, force: true }))
  const { gitea, modelUrl } = engines.addresses
  const egress = { COLOPHON_EGRESS_ALLOWED_HOSTS: [gitea.url, modelUrl].map((url) => new URL(url).host).join(',') }
  const environment = { ...scope.environment, ...(await sealingKeySettings()), ...egress }
  // Jobs need one; nobody here calls it.
  const model = ['--name', 'test-model', '--format', 'anthropic-messages', '--url', 'http://model.invalid/v1']
  await runColophon(
    [
      'admin',
      'model',
      'add',
      ...model,
      '--context-window',
      '200000',
      '--max-output',
      '64000',
      '--default',
      '--no-test',
    ],
    { environment, stdin: '' },
  )
  const start = async (name: 'api' | 'worker', settings: Record<string, string>) => {
    const started = await prepareProcess(name, { environment: { ...environment, ...settings }, directory })
    run.cleanUp(() => started.part.stop())
    await started.part.start()
    return started
  }
  return {
    scope,
    environment,
    directory,
    gitea,
    modelUrl,
    startApi: (settings = {}) => start('api', settings),
    startWorker: (settings = {}) => start('worker', { ...shortTimers, ...settings }),
  }
}
