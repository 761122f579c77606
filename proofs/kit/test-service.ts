/** Colophon on the shared services, in its own test instance, for proofs that do not kill services. */
import {
  type ColophonProcess,
  prepareColophonProcess,
  runColophonCommand,
} from '../../dev-services/colophon-process.ts'
import { shortTimers } from '../../dev-services/test-worker.ts'
import type { ProofRun } from '../proof.ts'
import { createProofInstance, type ProofInstance } from './proof-instance.ts'

export interface TestService extends ProofInstance {
  startApi(settings?: Record<string, string>): Promise<ColophonProcess>
  /** Started with short timers. */
  startWorker(settings?: Record<string, string>): Promise<ColophonProcess>
}

export async function prepareTestService(run: ProofRun, purpose: string): Promise<TestService> {
  const proofInstance = await createProofInstance(run, purpose)
  const { environment, directory } = proofInstance
  // Jobs need a model. This one is never called.
  const model = ['--name', 'test-model', '--format', 'anthropic-messages', '--url', 'http://model.invalid/v1']
  await runColophonCommand(
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
    const started = await prepareColophonProcess(name, { environment: { ...environment, ...settings }, directory })
    run.cleanUp(() => started.process.stop())
    await started.process.start()
    return started
  }
  return {
    ...proofInstance,
    startApi: (settings = {}) => start('api', settings),
    startWorker: (settings = {}) => start('worker', { ...shortTimers, ...settings }),
  }
}
