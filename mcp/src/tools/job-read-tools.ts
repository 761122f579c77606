/** Reads jobs, their changes and what their agents did. */
import { z } from 'zod'
import { defineTool, notice, type Tool } from '../tool.ts'
import {
  defaultEventTextCharacters,
  eventCharacters,
  jobDetails,
  jobEvent,
  jobId,
  jobSummary,
  maxEventsCharacters,
  toJobDetails,
  toJobSummary,
  toShortEvent,
} from './job-results.ts'

const listJobs = defineTool({
  name: 'list_jobs',
  title: 'List jobs',
  description: 'Jobs of the project, newest first, with their status, outcome and pull request.',
  scopes: ['agent:read'],
  effect: 'reads',
  input: z.strictObject({
    status: z.enum(['active', 'completed', 'failed', 'archived']).optional(),
    outcome: z
      .enum(['pull_request', 'diff', 'no_changes', 'awaiting_approval', 'rejected', 'cancelled', 'error'])
      .optional(),
    contains: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Only jobs with this text in the title, the ID or the beginning of the first prompt.'),
    limit: z.int().min(1).max(50).default(20).describe('Maximum number of jobs.'),
    cursor: z.string().max(100).optional().describe('nextCursor of the previous result.'),
  }),
  output: z.object({
    jobs: z.array(jobSummary),
    nextCursor: z.string().nullable().describe('cursor for the next jobs. Null if there are no more.'),
    notice,
  }),
  async run({ status, outcome, contains, limit, cursor }, { client, projectId, signal }) {
    const query = {
      limit,
      ...(status !== undefined && { status }),
      ...(outcome !== undefined && { outcome }),
      ...(contains !== undefined && { q: contains }),
      ...(cursor !== undefined && { cursor }),
    }
    const { jobs, nextCursor } = await client.jobs.list(projectId, query, { signal })
    return { jobs: jobs.map(toJobSummary), nextCursor }
  },
})

const getJob = defineTool({
  name: 'get_job',
  title: 'Get a job',
  description:
    'A job with its result: the reply of the agent, the pull request with its CI checks, the docs checks, and what it cost. Use get_job_diff for the changes.',
  scopes: ['agent:read'],
  effect: 'reads',
  input: z.strictObject({ jobId }),
  output: z.object({ job: jobDetails, notice }),
  run: async ({ jobId }, { client, projectId, signal }) => ({
    job: toJobDetails(await client.jobs.get(projectId, jobId, { signal })),
  }),
})

const maxDiffCharacters = 40_000

const getJobDiff = defineTool({
  name: 'get_job_diff',
  title: 'Get the diff of a job',
  description: `The changes of a job against the branch that it works from, in the format of git diff. At most ${maxDiffCharacters} characters per call; nextOffset continues.`,
  scopes: ['agent:read'],
  effect: 'reads',
  input: z.strictObject({
    jobId,
    offset: z.int().min(0).default(0).describe('Where to start, in characters: nextOffset of the previous result.'),
  }),
  output: z.object({
    diff: z.string().nullable().describe('Null if no file was changed.'),
    totalCharacters: z.int(),
    nextOffset: z.int().nullable().describe('offset for the rest. Null if this is the end.'),
    diffSha256: z
      .string()
      .nullable()
      .describe('Of the whole diff. If it differs from the previous result, the diff has changed: start again at 0.'),
    notice,
  }),
  async run({ jobId, offset }, { client, projectId, signal }) {
    const { diff, diffSha256 } = await client.jobs.diff(projectId, jobId, { signal })
    const total = diff?.length ?? 0
    const end = diff === null ? 0 : endOfDiffPart(diff, offset)
    return {
      diff: diff === null ? null : diff.slice(offset, end),
      totalCharacters: total,
      nextOffset: end < total ? end : null,
      diffSha256,
    }
  },
})

/** At the end of a line, unless a line is longer than that. */
function endOfDiffPart(diff: string, offset: number): number {
  const limit = offset + maxDiffCharacters
  if (limit >= diff.length) return diff.length
  const lineEnd = diff.lastIndexOf('\n', limit - 1) + 1
  if (lineEnd > offset) return lineEnd
  return /[\udc00-\udfff]/.test(diff.charAt(limit)) ? limit - 1 : limit // not in the middle of a character
}

const listJobEvents = defineTool({
  name: 'list_job_events',
  title: 'List events of a job',
  description:
    'What the agent of a job said and did so far, oldest first. Long texts are cut off. Use wait_for_job for events as they happen.',
  scopes: ['agent:read'],
  effect: 'reads',
  input: z.strictObject({
    jobId,
    after: z
      .string()
      .max(40)
      .optional()
      .describe('Only events after the event with this ID: nextAfter of the previous result.'),
    limit: z.int().min(1).max(100).default(50).describe('Maximum number of events.'),
    maxTextCharacters: z
      .int()
      .min(100)
      .max(20_000)
      .default(defaultEventTextCharacters)
      .describe('Maximum length of each text.'),
  }),
  output: z.object({
    events: z.array(jobEvent),
    nextAfter: z.string().nullable().describe('after for the next events. Null if there are no more yet.'),
    notice,
  }),
  async run({ jobId, after, limit, maxTextCharacters }, { client, projectId, signal }) {
    const query = { limit, ...(after !== undefined && { after }) }
    const page = await client.jobs.events(projectId, jobId, query, { signal })
    const all = page.events.map((event) => toShortEvent(event, maxTextCharacters))
    const events = takeWhileSmall(all)
    const isCut = events.length < all.length
    return { events, nextAfter: isCut ? (events.at(-1)?.id ?? null) : page.nextAfter }
  },
})

function takeWhileSmall(events: z.input<typeof jobEvent>[]): z.input<typeof jobEvent>[] {
  let characters = 0
  const end = events.findIndex((event, index) => {
    characters += eventCharacters(event)
    return index > 0 && characters > maxEventsCharacters
  })
  return end === -1 ? events : events.slice(0, end)
}

export const jobReadTools: readonly Tool[] = [listJobs, getJob, getJobDiff, listJobEvents]
