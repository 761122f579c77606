/** Colophon on shared engines, in a corner of its own, for proofs that kill no engine. */
import { type ColophonProcess, prepareProcess, runColophon } from '../../dev-services/colophon.ts'
import { shortTimers } from '../../dev-services/running-jobs.ts'
import type { ProofRun } from '../proof.ts'
import { type MigratedCorner, migratedCorner } from './migrated-corner.ts'

export interface RunningService extends MigratedCorner {
  startApi(settings?: Record<string, string>): Promise<ColophonProcess>
  /** With short timers. */
  startWorker(settings?: Record<string, string>): Promise<ColophonProcess>
}

export async function runningService(run: ProofRun, purpose: string): Promise<RunningService> {
  const corner = await migratedCorner(run, purpose)
  const { environment, directory } = corner
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
    ...corner,
    startApi: (settings = {}) => start('api', settings),
    startWorker: (settings = {}) => start('worker', { ...shortTimers, ...settings }),
  }
}
