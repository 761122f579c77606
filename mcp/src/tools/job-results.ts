/** Jobs and events as tools return them: without what an assistant does not need, and with texts of limited length. */
import type { AgentJob, JobEvent } from '@colophon/sdk'
import { z } from 'zod'
import { shorten } from '../result-text.ts'

export const jobId = z.string().max(100).describe('ID of the job, for example job_01m7ej5fb2e1et8d6t4k20dq6v.')

export const jobSummary = z.object({
  id: z.string(),
  status: z
    .string()
    .describe('active while the agent works or messages wait; then completed or failed; archived is final.'),
  outcome: z.string().nullable().describe('How the last turn ended. Null while the job is active.'),
  title: z.string().nullable(),
  promptPreview: z.string().describe('Beginning of the first prompt.'),
  topic: z.string().nullable(),
  publish: z.string(),
  prLink: z.string().nullable().describe('URL of the pull request.'),
  queuedMessages: z.int(),
  error: z
    .object({ code: z.string(), message: z.string() })
    .nullable()
    .describe('Why the last turn failed, and what to do next.'),
  createdAt: z.string(),
  updatedAt: z.string(),
})

/** Has more fields than the schema, which removes them. */
export const toJobSummary = (job: AgentJob): z.input<typeof jobSummary> => job

const maxReplyCharacters = 10_000
const maxFindings = 20
const maxFindingCharacters = 500
const maxCheckLogCharacters = 4_000

export const jobDetails = jobSummary.extend({
  repository: z.string(),
  ref: z.string().describe('Branch that the job works from.'),
  model: z.string(),
  reply: z.string().nullable().describe('Latest final message of the agent.'),
  pullRequest: z
    .object({
      url: z.string(),
      number: z.int(),
      branch: z.string(),
      state: z.string(),
      hasConflicts: z.boolean().nullable(),
      previewUrl: z.string().nullable(),
      checks: z
        .array(
          z.object({
            name: z.string(),
            status: z.string(),
            summary: z.string().nullable(),
            log: z.string().nullable(),
          }),
        )
        .describe('CI checks. The log is its end, and only of failed checks.'),
    })
    .nullable(),
  docsChecks: z.array(z.object({ name: z.string(), status: z.string(), findings: z.array(z.string()) })),
  newHosts: z.array(z.string()).describe('Host names in new links and images that no page named before.'),
  awaitsApprovalBecause: z
    .array(z.string())
    .nullable()
    .describe('Not null if a person has to approve the result in the dashboard before it is published.'),
  usage: z.object({ inputTokens: z.int(), outputTokens: z.int(), costUsd: z.number().nullable() }),
})

export const toJobDetails = (job: AgentJob): z.input<typeof jobDetails> => ({
  ...toJobSummary(job),
  repository: job.source.repository,
  ref: job.source.ref,
  model: job.model,
  reply: job.reply === null ? null : shorten(job.reply, maxReplyCharacters, 'see the job in the dashboard'),
  pullRequest: job.pullRequest && {
    ...job.pullRequest,
    checks: job.pullRequest.checks.slice(0, maxFindings).map(({ name, status, summary, log }) => ({
      name,
      status,
      summary: summary === null ? null : shorten(summary, maxFindingCharacters, 'see the pull request'),
      log: log === null ? null : log.slice(-maxCheckLogCharacters),
    })),
  },
  docsChecks: job.checks.map(({ name, status, findings }) => ({ name, status, findings: shortenList(findings) })),
  newHosts: shortenList(job.newHosts),
  awaitsApprovalBecause: job.approval && shortenList(job.approval.reasons.map(({ message }) => message)),
  usage: job.usage,
})

function shortenList(texts: readonly string[]): string[] {
  const kept = texts
    .slice(0, maxFindings)
    .map((text) => shorten(text, maxFindingCharacters, 'see the job in the dashboard'))
  return texts.length > maxFindings
    ? [...kept, `${texts.length - maxFindings} more: see the job in the dashboard`]
    : kept
}

export const jobEvent = z.object({
  id: z.string(),
  turn: z.int().describe('Number of the message that the agent works on.'),
  at: z.string(),
  type: z.string().describe('text, tool_call, tool_result or notice.'),
  text: z.string().optional(),
  tool: z.string().optional(),
  input: z.string().optional(),
  output: z.string().optional(),
  isError: z.boolean().optional(),
})

/** Of all events in one result. The first event is always in it. */
export const maxEventsCharacters = 40_000
export const defaultEventTextCharacters = 1_500

export function toShortEvent(
  { text, input, output, ...event }: JobEvent,
  maxCharacters: number,
): z.input<typeof jobEvent> {
  const cut = (long: string) => shorten(long, maxCharacters, 'call list_job_events with a higher maxTextCharacters')
  return {
    ...event,
    ...(text !== undefined && { text: cut(text) }),
    ...(input !== undefined && { input: cut(input) }),
    ...(output !== undefined && { output: cut(output) }),
  }
}

export const eventCharacters = ({ text = '', input = '', output = '' }: z.input<typeof jobEvent>): number =>
  text.length + input.length + output.length + 200 // its other fields
