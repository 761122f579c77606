/** Runs `worker` in the test's process on a test instance, with short timers, a runner token and a model. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import { createJobSignaler, type JobSignaler, jobTaskQueue } from '../../server/src/jobs/job-signaler.ts'
import { startWorker } from '../../server/src/main/processes/worker.ts'
import { loadWorkerConfig } from '../../server/src/platform/config.ts'
import { createLog } from '../../server/src/platform/log.ts'
import { freePort } from '../services/free-port.ts'
import { withDatabaseRole } from './database-roles.ts'
import type { TestInstance } from './test-instance.ts'

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

export async function startTestWorker(
  instance: TestInstance,
  settings: Readonly<Record<string, string>> = {},
): Promise<TestWorker> {
  const listen = `127.0.0.1:${await freePort()}`
  const config = loadWorkerConfig({
    ...withDatabaseRole('worker', instance.environment),
    ...shortTimers,
    ...settings,
    COLOPHON_GATEWAY_LISTEN: listen,
    COLOPHON_LOG_LEVEL: 'error',
  })
  await instance.addModel()
  const worker = await startWorker(config)
  const { address, namespace } = config.services.temporal
  const connection = await Connection.connect({ address })
  const client = new Client({ connection, namespace })
  await waitForPollers(connection, namespace)
  return {
    signals: createJobSignaler(client, connection, createLog('test', { level: 'error' })),
    gatewayUrl: `http://${listen}`,
    runnerToken: await instance.createRunnerToken(),
    async stop() {
      await worker.stop()
      await connection.close()
    },
  }
}

/** Temporal learns of a worker only after it has started, on a busy machine later than `api` waits for one. */
async function waitForPollers(connection: Connection, namespace: string): Promise<void> {
  const request = { namespace, taskQueue: { name: jobTaskQueue } }
  while (!(await connection.workflowService.describeTaskQueue(request)).pollers?.length) await sleep(100)
}
