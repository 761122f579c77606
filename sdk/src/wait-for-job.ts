/** Creates jobs and waits for them, across lost connections and restarts of the server. */
import { defaultReconnectSeconds, type FollowJobCall, type FollowOptions } from './follow-job.ts'
import type { AgentJob, CreateJobData, JobEvent } from './generated/types.gen.ts'
import type { IdempotentCallOptions } from './idempotency.ts'
import type { JobCalls } from './jobs.ts'

/** What `onProgress` is called with. */
export interface JobProgress {
  jobId: string
  /** What the agent did. Undefined once, right after the job was created. */
  event: JobEvent | undefined
}

/** Options for waiting until a job is no longer active. */
export interface WaitOptions extends FollowOptions {
  /** Called with each event of the agent, once and in order. If it throws, waiting ends with its error. */
  onProgress?: ((progress: JobProgress) => void) | undefined
}

/** Options for creating a job and waiting for it. `retry` and `timeoutSeconds` apply to creating it. */
export interface CreateAndWaitOptions extends IdempotentCallOptions, Omit<WaitOptions, 'after'> {}

export type JobWaitCalls = ReturnType<typeof createJobWaitCalls>

export function createJobWaitCalls(jobs: JobCalls, follow: FollowJobCall) {
  const wait = async (projectId: string, id: string, options: WaitOptions = {}): Promise<AgentJob> => {
    const { onProgress, signal, reconnectSeconds = defaultReconnectSeconds } = options
    const retry = { maxRetries: Number.POSITIVE_INFINITY, maxSeconds: reconnectSeconds }
    for (let { after } = options; ; ) {
      for await (const event of follow(projectId, id, { after, signal, reconnectSeconds })) {
        after = event.id
        onProgress?.({ jobId: id, event })
      }
      const job = await jobs.get(projectId, id, { signal, retry })
      if (job.status !== 'active') return job // it can be active again, after another message
    }
  }

  return {
    /**
     * Waits until a job is no longer active, and returns it. Reconnects when the connection is lost. Aborting the signal ends the
     * waiting, not the job.
     * @example
     * await client.jobs.sendMessage(projectId, jobId, { prompt: 'Make it shorter.' })
     * const { outcome, prLink } = await client.jobs.wait(projectId, jobId)
     */
    wait,

    /**
     * Creates a job, waits until it is no longer active, and returns it. Creating it is retried with one idempotency key, and
     * waiting reconnects, so that a lost connection or a restart of the server neither ends the call nor creates a second job.
     * @example
     * const job = await client.jobs.createAndWait(
     *   projectId,
     *   { prompt: 'Document the --proxy flag in the install guide.' },
     *   { onProgress: ({ event }) => console.log(event?.text ?? event?.tool ?? 'created') },
     * )
     * console.log(job.status, job.prLink)
     */
    createAndWait: async (
      projectId: string,
      body: CreateJobData['body'],
      options: CreateAndWaitOptions = {},
    ): Promise<AgentJob> => {
      const { id } = await jobs.create(projectId, body, options)
      options.onProgress?.({ jobId: id, event: undefined })
      return wait(projectId, id, options)
    },
  }
}
