import { createHash } from 'node:crypto'
import Type from 'typebox'
import type { AgentEventStore } from '../../jobs/agent-event-store.ts'
import type { ApprovalStore } from '../../jobs/approval-store.ts'
import { computeDiffSha256 } from '../../jobs/held-result.ts'
import { formatRateLimitHeaders } from '../../jobs/hourly-limit.ts'
import { jobOutcomes } from '../../jobs/job-outcome.ts'
import type { JobSignaler } from '../../jobs/job-signaler.ts'
import { jobStatuses } from '../../jobs/job-state.ts'
import type { JobStore } from '../../jobs/job-store.ts'
import type { ModelStore } from '../../models/model-store.ts'
import { createResponse, NoContent } from '../../platform/http/route.ts'
import type { RepositoryStore } from '../../projects/repository-store.ts'
import { CursorQuery, NextCursor, readCursorPage } from '../cursor-page.ts'
import { defineRoute, type Route } from '../route.ts'
import { nullable, ProjectParams, SingleLineText } from '../schemas.ts'
import { AgentJob, DiffSha256, IdempotencyHeader, JobParams, Prompt, toAgentJobResponse } from './agent-job.ts'
import {
  archivedJobExample,
  awaitingApprovalJobExample,
  continuedJobExample,
  pendingCancelJobExample,
  rejectedJobExample,
} from './agent-job-examples.ts'
import { createJobRoute } from './create-job.ts'
import type { StreamJobEvents } from './job-event-streams.ts'
import { listEventsRoute } from './list-events.ts'
import { listMessagesRoute } from './list-messages.ts'

const pollAfterSeconds = 2

const exampleDiff = `diff --git a/docs/install.md b/docs/install.md
index 8f1d2c4..b7a9e03 100644
--- a/docs/install.md
+++ b/docs/install.md
@@ -12,3 +12,5 @@ Run the installer:
 npm install
 \`\`\`
 
+Behind a proxy, set \`HTTPS_PROXY\` first.
+
`

export interface JobRouteDeps extends Omit<JobSignaler, 'restartJob'> {
  jobs: JobStore
  approvals: ApprovalStore
  events: AgentEventStore
  streamJobEvents: StreamJobEvents
  repositories: RepositoryStore
  models: ModelStore
}

const DecisionBody = Type.Object(
  { diffSha256: DiffSha256 },
  {
    additionalProperties: false,
    examples: [{ diffSha256: awaitingApprovalJobExample.approval.diffSha256 }],
  },
)

export const jobRoutes = (deps: JobRouteDeps): Route[] => [
  createJobRoute(deps),
  defineRoute({
    method: 'GET',
    url: '/v2/agent/:projectId/job/:id',
    access: 'agent:read',
    name: 'getJob',
    tag: 'Agent jobs',
    summary: 'Get an agent job',
    description:
      'Returns a job and its result. While the job is active, `Retry-After` says after how many seconds to poll it again. Send the `ETag` of the last response as `If-None-Match` to get 304 if the job has not changed.',
    schemas: {
      params: JobParams,
      headers: Type.Object({
        'if-none-match': Type.Optional(
          Type.String({
            maxLength: 1000,
            description:
              '`ETag` of an earlier response. If the job has not changed since, the response is 304 without a body.',
            examples: ['"p4zJ0o2mQf5cV1nX8yTr3A"'],
          }),
        ),
      }),
      responses: { 200: AgentJob, 304: NoContent },
    },
    responseHeaders: { 200: ['ETag', 'Retry-After'], 304: ['ETag', 'Retry-After'] },
    async handle({ projectId, params, headers }) {
      const body = toAgentJobResponse(await deps.jobs.get(projectId, params.id))
      const etag = `"${createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 22)}"`
      const responseHeaders = { etag, ...(body.status === 'active' && { 'retry-after': String(pollAfterSeconds) }) }
      return headers['if-none-match'] === etag
        ? createResponse(304, undefined, responseHeaders)
        : createResponse(200, body, responseHeaders)
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/v2/agent/:projectId/job/:id/message',
    access: 'agent:write',
    name: 'sendMessage',
    tag: 'Agent jobs',
    summary: 'Send a message to an agent job',
    description:
      'Sends a follow-up prompt. If the job is active, the message is queued behind the others. If the job has ended, it becomes active again. Rate limit: 100 messages per project per hour.',
    schemas: {
      params: JobParams,
      headers: IdempotencyHeader,
      body: Type.Object(
        {
          prompt: Prompt,
          failedCheck: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 200,
              description:
                'Name of a failed CI check of the pull request. The agent gets the log of the check together with the prompt.',
              examples: ['build'],
            }),
          ),
          resolveConflicts: Type.Optional(
            Type.Boolean({
              description:
                'Whether to merge the base branch into the branch of the pull request first, so that the agent resolves the conflicts. ' +
                'The pull request must be open.',
            }),
          ),
        },
        { additionalProperties: false, examples: [{ prompt: 'Make it shorter.' }] },
      ),
      responses: { 200: AgentJob },
    },
    responseHeaders: { 200: ['RateLimit', 'RateLimit-Policy'], 429: ['RateLimit', 'RateLimit-Policy'] },
    responseExamples: { 200: continuedJobExample },
    problems: ['job_archived', 'queue_full', 'idempotency_key_reused', 'rate_limited'],
    async handle({ projectId, actor, params, body, headers }) {
      const idempotencyKey = headers['idempotency-key']
      const path = `/v2/agent/${projectId}/job/${params.id}/message`
      const accepted = await deps.jobs.message(projectId, params.id, body, {
        actor,
        present: toAgentJobResponse,
        idempotency: idempotencyKey === undefined ? undefined : { key: idempotencyKey, method: 'POST', path, body },
      })
      if (accepted.kind === 'replayed') return createResponse(200, accepted.body)
      await deps.wakeJob(accepted.jobId)
      return createResponse(200, accepted.body, formatRateLimitHeaders(accepted.limit))
    },
  }),
  defineRoute({
    method: 'GET',
    url: '/v2/agent/:projectId/jobs',
    access: 'agent:read',
    name: 'listJobs',
    tag: 'Agent jobs',
    summary: 'List agent jobs',
    description:
      'Returns the jobs of the project, newest first. If `nextCursor` is not null, send it as `cursor` to get the next page.',
    schemas: {
      params: ProjectParams,
      query: Type.Object(
        {
          ...CursorQuery('job').properties,
          status: Type.Optional(Type.Enum(jobStatuses, { description: 'Return only jobs with this status.' })),
          outcome: Type.Optional(Type.Enum(jobOutcomes, { description: 'Return only jobs with this outcome.' })),
          q: Type.Optional(
            SingleLineText({
              minLength: 1,
              maxLength: 200,
              description:
                'Return only jobs with this text in the title, the ID or the first 300 characters of the first prompt. Case does not matter.',
              examples: ['proxy'],
            }),
          ),
        },
        { additionalProperties: false },
      ),
      responses: {
        200: Type.Object({
          jobs: Type.Array(AgentJob, { description: 'Jobs, newest first.' }),
          nextCursor: NextCursor,
        }),
      },
    },
    async handle({ projectId, query: { status, outcome, q: words, ...pageOptions } }) {
      const page = await readCursorPage(pageOptions, (range) =>
        deps.jobs.list(projectId, { status, outcome, search: words, ...range }),
      )
      return createResponse(200, { jobs: page.items.map(toAgentJobResponse), nextCursor: page.nextCursor })
    },
  }),
  listMessagesRoute(deps),
  defineRoute({
    method: 'GET',
    url: '/v2/agent/:projectId/job/:id/diff',
    access: 'agent:read',
    name: 'getDiff',
    tag: 'Agent jobs',
    summary: 'Get the diff of an agent job',
    description:
      'Returns the changes of the job against the branch that it works from. If a result awaits approval, the changes that would be pushed.',
    schemas: {
      params: JobParams,
      responses: {
        200: Type.Object({
          diff: nullable(Type.String(), {
            description: 'The changes in the format of `git diff`. Null if no file was changed.',
            examples: [exampleDiff],
          }),
          diffSha256: nullable(Type.String(), {
            description:
              'SHA-256 of `diff`, in hexadecimal. If it is `approval.diffSha256` of the job, this is the diff that awaits approval.',
            examples: [awaitingApprovalJobExample.approval.diffSha256],
          }),
        }),
      },
    },
    async handle({ projectId, params }) {
      const diff = await deps.jobs.diff(projectId, params.id)
      return createResponse(200, { diff, diffSha256: diff === null ? null : computeDiffSha256(diff) })
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/v2/agent/:projectId/job/:id/approve',
    access: 'agent:approve',
    name: 'approveResult',
    tag: 'Agent jobs',
    summary: 'Approve a result',
    description:
      'Approves the result of a job whose outcome is `awaiting_approval`. The job becomes active again until the result is published. `diffSha256` names the diff that you have read: if another result is held by now, the request is rejected. Repeating a request has no further effect.',
    schemas: { params: JobParams, body: DecisionBody, responses: { 200: AgentJob } },
    responseExamples: { 200: continuedJobExample },
    problems: ['not_awaiting_approval'],
    async handle({ projectId, actor, params, body }) {
      const job = await deps.approvals.approve(projectId, params.id, body.diffSha256, actor)
      await deps.wakeJob(job.id)
      return createResponse(200, toAgentJobResponse(job))
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/v2/agent/:projectId/job/:id/reject',
    access: 'agent:approve',
    name: 'rejectResult',
    tag: 'Agent jobs',
    summary: 'Reject a result',
    description:
      'Rejects the result of a job whose outcome is `awaiting_approval`. Nothing is pushed, and the next message starts without the rejected changes. `diffSha256` names the diff that you have read. Repeating a request has no further effect.',
    schemas: { params: JobParams, body: DecisionBody, responses: { 200: AgentJob } },
    responseExamples: { 200: rejectedJobExample },
    problems: ['not_awaiting_approval'],
    async handle({ projectId, actor, params, body }) {
      const job = await deps.approvals.reject(projectId, params.id, body.diffSha256, actor)
      return createResponse(200, toAgentJobResponse(job))
    },
  }),
  listEventsRoute(deps),
  defineRoute({
    method: 'POST',
    url: '/v2/agent/:projectId/job/:id/cancel',
    access: 'agent:write',
    name: 'cancelJob',
    tag: 'Agent jobs',
    summary: 'Cancel an agent job',
    description:
      'Stops the current turn and drops the queued messages. The job ends with status `failed` and outcome `cancelled`. A turn whose result is already being published is completed.',
    schemas: { params: JobParams, responses: { 200: AgentJob } },
    responseExamples: { 200: pendingCancelJobExample },
    problems: ['not_cancellable'],
    async handle({ projectId, actor, params }) {
      const job = await deps.jobs.cancel(projectId, params.id, actor)
      if (job.status === 'active') await deps.stopJob(job.id) // the current turn has to stop first
      return createResponse(200, toAgentJobResponse(job))
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/v2/agent/:projectId/job/:id/archive',
    access: 'agent:write',
    name: 'archiveJob',
    tag: 'Agent jobs',
    summary: 'Archive an agent job',
    description:
      'Archiving is final: the job accepts no more messages. An active job stops first. The pull request is not changed. Archiving a job again has no effect.',
    schemas: { params: JobParams, responses: { 200: AgentJob } },
    responseExamples: { 200: archivedJobExample },
    async handle({ projectId, actor, params }) {
      const job = await deps.jobs.archive(projectId, params.id, actor)
      if (job.status === 'active') await deps.stopJob(job.id) // the current turn has to stop first
      return createResponse(200, toAgentJobResponse(job))
    },
  }),
]
