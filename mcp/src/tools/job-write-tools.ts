/**
 * Starts and stops work of agents. Assistants repeat a call whose response was lost, with the same arguments. So that this does not
 * start the work twice, each call gets an idempotency key that is derived from its arguments.
 */
import { createHash } from 'node:crypto'
import type { AgentJob, JobMessage } from '@colophon/sdk'
import { z } from 'zod'
import { defineTool, notice, type Tool, type ToolContext } from '../tool.ts'
import { jobId, jobSummary, toJobSummary } from './job-results.ts'

const prompt = z.string().min(1).max(50_000).describe('Task for the agent.')

const idempotencyKey = z.string().min(1).max(200).optional()

const createJob = defineTool({
  name: 'create_job',
  title: 'Create a job',
  description:
    'Starts an agent that works on the docs repository and opens a pull request. Returns at once: use wait_for_job. The same call within 24 hours returns the same job, unless it has another idempotencyKey.',
  scopes: ['agent:write'],
  effect: 'starts',
  input: z.strictObject({
    prompt,
    title: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Title of the job and of its pull request. By default the agent chooses one.'),
    ref: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Branch to work from. Defaults to the base branch of the repository.'),
    model: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Name of a model of the project. Defaults to the default model.'),
    topic: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Name for a line of work. If an open job has the same topic, the prompt is sent to it as a message.'),
    publish: z
      .enum(['pull_request', 'diff'])
      .optional()
      .describe(
        'pull_request (default) opens a pull request. diff pushes nothing: read the changes with get_job_diff.',
      ),
    draft: z.boolean().optional().describe('Whether the pull request is opened as a draft.'),
    idempotencyKey: idempotencyKey.describe(
      'Any new text, to create another job with the same arguments within 24 hours.',
    ),
  }),
  output: z.object({
    job: jobSummary,
    note: z.string().nullable().describe('Says if the job was created by an earlier call.'),
    notice,
  }),
  async run({ idempotencyKey, ...fields }, { client, projectId, signal }) {
    const body = {
      prompt: fields.prompt,
      ...(fields.title !== undefined && { title: fields.title }),
      ...(fields.ref !== undefined && { ref: fields.ref }),
      ...(fields.model !== undefined && { model: fields.model }),
      ...(fields.topic !== undefined && { topic: fields.topic }),
      ...(fields.publish !== undefined && { publish: fields.publish }),
      ...(fields.draft !== undefined && { draft: fields.draft }),
    }
    const key = deriveKey('create_job', { body, idempotencyKey: idempotencyKey ?? null })
    const job = await client.jobs.create(projectId, body, { idempotencyKey: key, signal })
    // An open job with the same topic is older than the call that continued it.
    const isEarlier = body.topic === undefined && Date.now() - Date.parse(job.createdAt) > earlierCallMs
    return { job: toJobSummary(job), note: isEarlier ? earlierJobNote(job) : null }
  },
})

const earlierCallMs = 60_000

const earlierJobNote = ({ id, createdAt }: AgentJob) =>
  `The same call created this job at ${createdAt}; this is its state at that time. Use get_job with ${id} for its current state. To create another job, pass a new idempotencyKey.`

const sendMessage = defineTool({
  name: 'send_message',
  title: 'Send a message to a job',
  description:
    'Continues a job with a follow-up prompt. If the job is active, the message waits for its turn. The same message is not sent again while the first one is waiting or being worked on, unless it has another idempotencyKey.',
  scopes: ['agent:read', 'agent:write'],
  effect: 'starts',
  input: z.strictObject({
    jobId,
    prompt,
    failedCheck: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Name of a failed CI check of the pull request, whose log the agent gets.'),
    resolveConflicts: z
      .boolean()
      .optional()
      .describe('Whether the agent resolves the conflicts of the pull request with its base branch.'),
    idempotencyKey: idempotencyKey.describe('Any new text, to send the same message a second time.'),
  }),
  output: z.object({ job: jobSummary, notice }),
  async run({ jobId, idempotencyKey, ...fields }, context) {
    const { client, projectId, signal } = context
    const body = {
      prompt: fields.prompt,
      ...(fields.failedCheck !== undefined && { failedCheck: fields.failedCheck }),
      ...(fields.resolveConflicts !== undefined && { resolveConflicts: fields.resolveConflicts }),
    }
    const after = idempotencyKey ?? (await findPreviousMessage(context, jobId, fields.prompt))
    const key = deriveKey('send_message', { jobId, body, after })
    const job = await client.jobs.sendMessage(projectId, jobId, body, { idempotencyKey: key, signal })
    return { job: toJobSummary(job) }
  },
})

/** The number of the last message before those that this call may repeat. */
async function findPreviousMessage(
  { client, projectId, signal }: ToolContext,
  jobId: string,
  prompt: string,
): Promise<number> {
  const { messages } = await client.jobs.messages(projectId, jobId, { limit: 50 }, { signal })
  return messages.findLast((message) => message.prompt !== prompt || !isUnfinished(message))?.number ?? 0
}

const isUnfinished = ({ status }: JobMessage) => status === 'queued' || status === 'running' || status === 'publishing'

const deriveKey = (tool: string, content: object): string =>
  `mcp-${createHash('sha256')
    .update(JSON.stringify([tool, content]))
    .digest('hex')}`

const cancelJob = defineTool({
  name: 'cancel_job',
  title: 'Cancel a job',
  description:
    'Stops an active job and drops its queued messages. What the agent has not published yet is lost. A pull request that exists already stays.',
  scopes: ['agent:write'],
  effect: 'stops',
  input: z.strictObject({ jobId }),
  output: z.object({ job: jobSummary, notice }),
  run: async ({ jobId }, { client, projectId, signal }) => ({
    job: toJobSummary(await client.jobs.cancel(projectId, jobId, { signal })),
  }),
})

export const jobWriteTools: readonly Tool[] = [createJob, sendMessage, cancelJob]
