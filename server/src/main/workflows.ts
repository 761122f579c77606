/** Runs the workflows and activities of jobs, for as long as Temporal lets us. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import type { GithubActivities } from '../activities/github-activities.ts'
import type { JobActivities } from '../activities/job-activities.ts'
import type { ModelActivities } from '../activities/model-activities.ts'
import { jobTaskQueue } from '../jobs/wake-job.ts'
import type { ServicesConfig } from '../platform/config.ts'
import type { Log } from '../platform/log.ts'

const tryAgainAfterMs = 2_000

/** Each takes about 2 MB, and playing its short history again takes milliseconds. The default grows with the machine's memory. */
const maxCachedWorkflows = 40

export function startWorkflows(
  config: ServicesConfig['temporal'],
  activities: JobActivities & ModelActivities & GithubActivities,
  log: Log,
): { stop(): Promise<void> } {
  installLogger(log)
  const stopping = new AbortController()
  let worker: Worker | undefined

  const runOnce = async (workflowBundle: { code: string }) => {
    const connection = await NativeConnection.connect({
      address: config.address,
      tls: config.tls,
      ...(config.apiKey && { apiKey: config.apiKey }),
    })
    try {
      worker = await Worker.create({
        maxCachedWorkflows: maxCachedWorkflows,
        connection,
        namespace: config.namespace,
        taskQueue: jobTaskQueue,
        workflowBundle,
        activities,
        shutdownGraceTime: '20 seconds', // 0 by default: what is being published would be cut off
      })
      if (!stopping.signal.aborted) await worker.run()
    } finally {
      worker = undefined
      await connection.close()
    }
  }

  /** A worker that lost its server for long ends with an error: the process goes on, and takes up work when it is back. */
  const running = (async () => {
    const bundle = await bundleWorkflowCode({
      workflowsPath: join(import.meta.dirname, '../workflows/all.ts'),
      logger: quiet,
    })
    while (!stopping.signal.aborted) {
      await runOnce(bundle).catch((error: unknown) =>
        log.warn({ error: String(error) }, 'workflows cannot run: trying again'),
      )
      await sleep(tryAgainAfterMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  })()

  return {
    async stop() {
      stopping.abort()
      if (worker?.getState() === 'RUNNING') worker.shutdown()
      await running
    },
  }
}

const quiet = new DefaultLogger('ERROR')

let installed = false

/** Once per process: Temporal's runtime is one. Its lines become ours. */
function installLogger(log: Log): void {
  if (installed) return
  installed = true
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
