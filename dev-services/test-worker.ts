/** Runs `worker` in the test's process on a test instance, with short timers, a runner token and a model. */
import { Client, Connection } from '@temporalio/client'
import { createJobSignaler, type JobSignaler } from '../server/src/jobs/job-signaler.ts'
import { generateKey, hashKey } from '../server/src/keys/key-format.ts'
import { startWorker } from '../server/src/main/processes/worker.ts'
import { loadWorkerConfig } from '../server/src/platform/config.ts'
import { createLog } from '../server/src/platform/log.ts'
import { generateSealingKeyPair } from '../server/src/platform/sealed-secrets/sealing-keys.ts'
import { freePort } from './free-port.ts'
import type { ServiceAddresses } from './start-services.ts'
import type { TestInstance } from './test-instance.ts'
import { addTestModel } from './test-model.ts'

export interface TestWorker {
  signals: JobSignaler
  gatewayUrl: string
  runnerToken: string
  stop(): Promise<void>
}

/** Short timers, so that tests do not wait long for them. */
export const shortTimers = {
  COLOPHON_JOB_HEARTBEAT_TIMEOUT_SECONDS: '3',
  COLOPHON_JOB_STALL_SECONDS: '4',
  COLOPHON_JOB_PULL_REQUEST_POLL_SECONDS: '1',
  COLOPHON_JOB_DEADLINE_SECONDS: '60',
  COLOPHON_JOB_PUBLISH_TIMEOUT_SECONDS: '120',
}

/** The settings that `worker` needs besides the addresses of its services. */
export const workerSettings = ({ gitea }: Pick<ServiceAddresses, 'gitea'>) => ({
  COLOPHON_SEALING_PRIVATE_KEYS: generateSealingKeyPair().privateEntry,
  COLOPHON_EGRESS_ALLOWED_HOSTS: new URL(gitea.url).host,
  ...shortTimers,
})

export async function startTestWorker(
  instance: TestInstance,
  settings: Readonly<Record<string, string>>,
): Promise<TestWorker> {
  const listen = `127.0.0.1:${await freePort()}`
  const config = loadWorkerConfig({
    ...instance.environment,
    ...settings,
    COLOPHON_GATEWAY_LISTEN: listen,
    COLOPHON_LOG_LEVEL: 'error',
  })
  await addTestModel(instance.stores.models)
  const worker = await startWorker(config)
  const { address, namespace } = config.services.temporal
  const connection = await Connection.connect({ address })
  const client = new Client({ connection, namespace })
  const runnerToken = generateKey('colophon_runner_')
  await instance.stores.runners.create('runner', hashKey(runnerToken), null)
  return {
    signals: createJobSignaler(client, connection, createLog('test', { level: 'error' })),
    gatewayUrl: `http://${listen}`,
    runnerToken,
    async stop() {
      await worker.stop()
      await connection.close()
    },
  }
}
