import { z } from 'zod'
import { defineTool, notice } from '../tool.ts'
import {
  defaultEventTextCharacters,
  eventCharacters,
  jobEvent,
  jobId,
  jobSummary,
  maxEventsCharacters,
  toJobSummary,
  toShortEvent,
} from './job-results.ts'

/** Less than the 60 seconds after which most clients give up, unless they are told about progress. */
const maxWaitSeconds = 50

export const waitForJobTool = defineTool({
  name: 'wait_for_job',
  title: 'Wait for a job',
  description:
    'Waits until a job is no longer active, for a limited time, and returns what its agent did meanwhile. If isFinished is false, call it again with after set to lastEventId. A job can take many minutes.',
  scopes: ['agent:read'],
  effect: 'reads',
  input: z.strictObject({
    jobId,
    after: z
      .string()
      .max(40)
      .optional()
      .describe('Only events after the event with this ID: lastEventId of the previous result.'),
    timeoutSeconds: z.int().min(1).max(maxWaitSeconds).default(45).describe('How long to wait.'),
  }),
  output: z.object({
    isFinished: z.boolean().describe('Whether the job is no longer active and all of its events were returned.'),
    job: jobSummary,
    events: z.array(jobEvent),
    lastEventId: z.string().nullable().describe('after for the next call. Null if there are no events yet.'),
    notice,
  }),
  async run({ jobId, after, timeoutSeconds }, { client, projectId, signal, stopping, reportProgress }) {
    const until = AbortSignal.any([signal, stopping, AbortSignal.timeout(timeoutSeconds * 1000)])
    const events: z.input<typeof jobEvent>[] = []
    let lastEventId = after ?? null
    let characters = 0
    let hasEnded = true
    const started = await client.jobs.get(projectId, jobId, { signal })
    try {
      const stream = client.jobs.follow(projectId, jobId, { after, signal: until, reconnectSeconds: timeoutSeconds })
      for await (const event of stream) {
        const short = toShortEvent(event, defaultEventTextCharacters)
        events.push(short)
        lastEventId = event.id
        characters += eventCharacters(short)
        await reportProgress(event.text ?? event.tool ?? event.type)
        if (characters > maxEventsCharacters) {
          hasEnded = false
          break
        }
      }
    } catch (error) {
      if (signal.aborted || !until.aborted) throw error
      // A process that stops cannot call its own API any more.
      if (stopping.aborted) return { isFinished: false, job: toJobSummary(started), events, lastEventId }
      hasEnded = false
    }
    const job = toJobSummary(await client.jobs.get(projectId, jobId, { signal }))
    return { isFinished: hasEnded && job.status !== 'active', job, events, lastEventId }
  },
})
