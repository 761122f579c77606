/** The control half of agent jobs in this process, on a scope of shared engines: workflows, runner API, dispatcher. For tests. */
import { Client, Connection } from '@temporalio/client'
import { startDispatcher } from '../server/src/activities/dispatcher.ts'
import { createJobActivities, type PublishResult } from '../server/src/activities/job-activities.ts'
import { OfferKeeper } from '../server/src/activities/offer-keeper.ts'
import { addRunnerApi } from '../server/src/gateway/runner-api.ts'
import { AttemptStore } from '../server/src/jobs/attempt-store.ts'
import type { JobTables } from '../server/src/jobs/tables.ts'
import { TurnStore } from '../server/src/jobs/turn-store.ts'
import { createJobSignals, type JobSignals } from '../server/src/jobs/wake-job.ts'
import { generateKey, hashOfKey } from '../server/src/keys/key-format.ts'
import { startWorkflows } from '../server/src/main/workflows.ts'
import { createHttpServer } from '../server/src/platform/http/http-server.ts'
import { addJsonBody } from '../server/src/platform/http/json-body.ts'
import { compileValidator } from '../server/src/platform/http/validation.ts'
import { createLog } from '../server/src/platform/log.ts'
import { createDatabase } from '../server/src/platform/postgres.ts'
import type { MigratedScope } from './migrated-scope.ts'
import type { EngineAddresses } from './start-engines.ts'

export interface RunningJobs {
  signals: JobSignals
  gatewayUrl: string
  runnerToken: string
  stop(): Promise<void>
}

const heartbeatTimeoutSeconds = 3

export async function startJobs(
  { temporalAddress }: EngineAddresses,
  scope: MigratedScope,
  publishResult: (stores: { turns: TurnStore; attempts: AttemptStore }) => PublishResult,
): Promise<RunningJobs> {
  const log = createLog('test', { level: 'error' })
  const namespace = scope.environment.COLOPHON_TEMPORAL_NAMESPACE ?? ''
  const connection = await Connection.connect({ address: temporalAddress })
  const client = new Client({ connection, namespace })
  const database = createDatabase<JobTables>(scope.pool)
  const [turns, attempts] = [new TurnStore(database), new AttemptStore(database)]
  const signals = createJobSignals(client, connection, log)
  const offers = new OfferKeeper({ client, attempts, log, everyMs: 1_000 })
  const activities = createJobActivities({
    ...{ turns, attempts, offers },
    publishResult: publishResult({ turns, attempts }),
    limits: { deadlineSeconds: 60, mostEngineFailures: 2, noRunnerSeconds: 60 },
    timers: { heartbeatTimeoutMs: heartbeatTimeoutSeconds * 1000, publishTimeoutMs: 60_000 },
  })
  const workflows = startWorkflows(
    { address: temporalAddress, namespace, tls: false, apiKey: undefined },
    activities,
    log,
  )
  const dispatcher = startDispatcher({ turns, signals, settings: { standStillSeconds: 4, idleArchiveDays: 30 }, log })

  const http = { listen: { host: '127.0.0.1', port: 0 }, tls: undefined, trustedProxies: [], stopDelaySeconds: 0 }
  const gateway = createHttpServer(http, log)
  addJsonBody(gateway)
  gateway.setValidatorCompiler(compileValidator)
  const settings = { deadlineSeconds: 60, mostRunningPerProject: 5, heartbeatSeconds: heartbeatTimeoutSeconds / 3 }
  addRunnerApi(gateway, { runners: scope.stores.runners, attempts, temporal: client, settings, log })
  const gatewayUrl = await gateway.listen(http.listen)
  const runnerToken = generateKey('colophon_runner_')
  await scope.stores.runners.create('runner', hashOfKey(runnerToken), null)
  return {
    signals,
    gatewayUrl,
    runnerToken,
    async stop() {
      await gateway.close()
      await Promise.all([dispatcher.stop(), workflows.stop()])
      offers.stop()
      await connection.close()
    },
  }
}
