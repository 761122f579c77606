/** Runs a Temporal worker for a task queue, and restarts it when it fails. */
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import { type BackgroundTask, startBackgroundTask } from '../../platform/background-task.ts'
import type { ServicesConfig } from '../../platform/config.ts'
import type { Log } from '../../platform/log.ts'
import { traceActivity } from '../../platform/tracing/trace-activity.ts'
import { getWorkflowBundle } from './workflow-bundle.ts'

const restartDelayMs = 2_000

/** A cached workflow takes about 2 MB, and replaying its short history takes milliseconds. Temporal's default grows with the machine's memory. */
const maxCachedWorkflows = 40

export interface TaskQueueWork {
  taskQueue: string
  activities: object
  /** Whether the queue also has the tasks of workflows. All workflows are in one queue. */
  runsWorkflows: boolean
  /** Default: that of Temporal, 100. */
  maxConcurrentActivities?: number
}

export function startTemporalWorker(
  config: ServicesConfig['temporal'],
  { taskQueue, activities, runsWorkflows, maxConcurrentActivities }: TaskQueueWork,
  log: Log,
): BackgroundTask {
  installTemporalLogger(log)
  let worker: Worker | undefined

  /** A worker that cannot reach Temporal for a long time ends with an error. The process keeps running and starts a new one. */
  const round = async (stopping: AbortSignal) => {
    const workflows = runsWorkflows && { maxCachedWorkflows, workflowBundle: await getWorkflowBundle() }
    const connection = await NativeConnection.connect({
      address: config.address,
      tls: config.tls,
      ...(config.apiKey && { apiKey: config.apiKey }),
    })
    try {
      worker = await Worker.create({
        ...workflows,
        connection,
        namespace: config.namespace,
        taskQueue,
        activities,
        interceptors: { activity: [traceActivity] },
        ...(maxConcurrentActivities !== undefined && {
          maxConcurrentActivityTaskExecutions: maxConcurrentActivities,
        }),
        shutdownGraceTime: '20 seconds', // the default of 0 would interrupt a result that is being published
      })
      if (!stopping.aborted) await worker.run()
    } finally {
      worker = undefined
      await connection.close()
    }
  }

  const task = startBackgroundTask({
    round,
    intervalMs: restartDelayMs,
    failureMessage: 'temporal worker failed: restarting',
    log,
  })
  return {
    async stop() {
      const stopped = task.stop()
      if (worker?.getState() === 'RUNNING') worker.shutdown()
      await stopped
    },
  }
}

let isLoggerInstalled = false

/** Sends Temporal's log to ours. Called once per process, because Temporal's runtime is a singleton. */
function installTemporalLogger(log: Log): void {
  if (isLoggerInstalled) return
  isLoggerInstalled = true
  Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      log[level === 'ERROR' ? 'error' : 'warn'](
        { source: 'temporal', detail: String((meta as { error?: unknown })?.error ?? '') },
        message,
      )
    }),
    shutdownSignals: [],
  })
}
