import Type, { type Static } from 'typebox'
import { ciCheckStatuses } from '../../jobs/ci-check.ts'
import type { Job } from '../../jobs/job.ts'
import { jobOutcomes, pullRequestStates } from '../../jobs/job-outcome.ts'
import { jobStatuses } from '../../jobs/job-state.ts'
import { turnErrorCodes } from '../../jobs/turn-errors.ts'
import { DateTime, IdParam, nullable, ProjectParams } from '../schemas.ts'
import { awaitingApprovalJobExample, completedJobExample } from './agent-job-examples.ts'

export const JobParams = Type.Object({
  ...ProjectParams.properties,
  id: IdParam('ID of the job.', 'job_01m7ej5fb2e1et8d6t4k20dq6v'),
})

export const Prompt = Type.String({
  minLength: 1,
  maxLength: 50_000,
  description: 'Task for the agent.',
  examples: ['Explain in the quickstart how to use a proxy.'],
})

export const IdempotencyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'Your unique name for this request. For 24 hours, a request with the same key and body gets the first response ' +
        'again, has no further effect and does not count toward the rate limit.',
      examples: ['docs-ci-4711'],
    }),
  ),
})

/** Why a turn failed, in the job and in its message. */
export const TurnError = Type.Object({
  code: Type.Enum(turnErrorCodes, { description: 'Code of the error. `GET /errors/{code}` explains it.' }),
  message: Type.String({ description: 'What failed and what to do next, as a sentence.' }),
})

const CiCheck = Type.Object({
  name: Type.String({ description: 'Name of the CI check.' }),
  status: Type.Enum(ciCheckStatuses, { description: 'Result of the CI check. `pending` while it has not finished.' }),
  url: nullable(Type.String({ format: 'uri' }), {
    description: 'Page of the CI check. Null if the code host reports none.',
  }),
  summary: nullable(Type.String(), {
    description: 'Short text that the CI check reports about its result. Null if it reports none.',
  }),
  log: nullable(Type.String(), {
    description:
      'End of the log. Null if the CI check has not failed, if the code host provides no log, and in lists of jobs.',
  }),
})

const PullRequestSchema = Type.Object({
  url: Type.String({ format: 'uri', description: 'Page of the pull request on the code host.' }),
  number: Type.Integer({ description: 'Number of the pull request in its repository.' }),
  branch: Type.String({ description: 'Branch with the changes.' }),
  state: Type.Enum(pullRequestStates, { description: 'State of the pull request on the code host.' }),
  hasConflicts: nullable(Type.Boolean(), {
    description:
      'Whether the pull request conflicts with its base branch. Null if that is unknown or the pull request is no longer open.',
  }),
  previewUrl: nullable(Type.String({ format: 'uri' }), {
    description: 'Preview of the site with the changes. Null if the code host reports none.',
  }),
  checks: Type.Array(CiCheck, {
    description: 'CI checks that the code host reports for the last commit of the pull request.',
  }),
})

const DocsCheck = Type.Object({
  name: Type.String({ description: 'Name of the docs check.' }),
  status: Type.Enum(['passed', 'failed', 'not_checked'], {
    description: 'Result of the docs check. `not_checked` if it could check none of the changed pages.',
  }),
  findings: Type.Array(Type.String(), {
    description:
      'Problems found, one sentence each. Empty if there are none. If the docs check is `not_checked`, the reason.',
  }),
  note: Type.Optional(
    Type.String({
      description:
        'Changed pages that the docs check could not check, although it checked others. Omitted if it checked all of them.',
    }),
  ),
})

/** Identifies a held result. */
export const DiffSha256 = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'SHA-256 of the diff that you have read, in hexadecimal, as in `approval.diffSha256` of the job.',
  examples: [awaitingApprovalJobExample.approval.diffSha256],
})

const ApprovalRequest = Type.Object({
  diffSha256: Type.String({
    description: 'SHA-256 of the diff that would be pushed, in hexadecimal. Send it to approve or reject the result.',
  }),
  isDiffComplete: Type.Boolean({
    description:
      'Whether the diff shows everything. A very large diff is cut off, and binary files other than images are only named.',
  }),
  reasons: Type.Array(
    Type.Object({
      code: Type.String({ description: 'Code of the reason, for example `active_content`.' }),
      path: Type.String({ description: 'File that the reason is about.' }),
      line: nullable(Type.Integer(), { description: 'Line in the file. Null if it is about the whole file.' }),
      message: Type.String({ description: 'What was found, and where, as a sentence.' }),
    }),
    {
      description:
        'What would be refused without an approval. Empty if the project requires an approval of every result.',
    },
  ),
  newHosts: Type.Array(Type.String(), {
    description: 'Host names in links and images of the result that no page of the repository named before.',
  }),
  requestedAt: DateTime('Time at which the result was held.'),
})

export const AgentJob = Type.Object(
  {
    id: Type.String({ description: 'ID of the job.' }),
    status: Type.Enum(jobStatuses, {
      description:
        '`active` while a message is queued or worked on. Then `completed` or `failed`, until a message makes the job ' +
        'active again. `archived` is final.',
    }),
    source: Type.Object(
      {
        repository: Type.String({ description: 'Repository that the job works on, as `owner/name`.' }),
        ref: Type.String({ description: 'Branch that the job works from.' }),
      },
      { description: 'Repository and branch that the job works from.' },
    ),
    model: Type.String({ description: 'Name of the model that the agent uses.' }),
    prLink: nullable(Type.String({ format: 'uri' }), {
      description:
        'URL of the pull request. Null while the job is active, if no file was changed, if `publish` is `diff`, and until a result that awaits approval is approved.',
    }),
    createdAt: DateTime('Time at which the job was created.'),
    archivedAt: nullable(DateTime('Time at which the job was archived. Null if it is not archived.')),
    title: nullable(Type.String(), {
      description:
        'Title of the job: the one that it was created with, or else the one that the agent chose. Null until there is one.',
    }),
    promptPreview: Type.String({ description: 'Beginning of the first prompt, at most 200 characters.' }),
    publish: Type.Enum(['pull_request', 'diff'], {
      description: 'How the result is published: as a pull request, or only as a diff that you can read.',
    }),
    topic: nullable(Type.String(), { description: 'Topic that the job was created with. Null if it has none.' }),
    metadata: Type.Record(Type.String(), Type.String(), {
      description: 'Key-value pairs that the job was created with.',
    }),
    outcome: nullable(Type.Enum(jobOutcomes), {
      description:
        'How the last turn of the job ended. Null while the job is active. `awaiting_approval`: nothing was pushed, and a person ' +
        'has to approve the result. `rejected`: a person did not approve it.',
    }),
    error: nullable(TurnError, { description: 'Why the last turn failed. Null unless `outcome` is `error`.' }),
    reply: nullable(Type.String(), {
      description: 'Latest final message of the agent. Null until a turn has completed.',
    }),
    pullRequest: nullable(PullRequestSchema, {
      description:
        'The latest pull request of the job, in the state last read from the code host. Also present while the job is ' +
        'active. Null if the job has none.',
    }),
    queuedMessages: Type.Integer({ minimum: 0, description: 'Number of messages that wait for their turn.' }),
    pendingStop: nullable(Type.Enum(['cancel', 'archive']), {
      description: 'Stop that was requested and takes effect when the current turn has stopped. Null if there is none.',
    }),
    usage: Type.Object(
      {
        inputTokens: Type.Integer({ description: 'Number of tokens sent to the model.' }),
        outputTokens: Type.Integer({ description: 'Number of tokens that the model generated.' }),
        costUsd: nullable(Type.Number(), {
          description: 'Cost of the model calls in US dollars. Null if the price of a model is not configured.',
        }),
      },
      { description: 'Tokens and cost of the model calls of the job that have finished.' },
    ),
    checks: Type.Array(DocsCheck, {
      description: 'Docs checks that the runner performed on the changed pages in the last completed turn.',
    }),
    newHosts: Type.Array(Type.String(), {
      description:
        'Host names in links and images of the changes that no page of the repository named before. Check that they are what you expect.',
    }),
    approval: nullable(ApprovalRequest, {
      description: 'What a person is asked to approve. Null unless `outcome` is `awaiting_approval`.',
    }),
    updatedAt: DateTime('Time of the last change to the job.'),
  },
  {
    $id: 'AgentJob',
    description: 'A job: a prompt, its follow-up messages, and the result.',
    examples: [completedJobExample],
  },
)

export const toAgentJobResponse = (job: Job): Static<typeof AgentJob> => ({
  id: job.id,
  status: job.status,
  source: job.source,
  model: job.model,
  prLink: job.status === 'active' ? null : (job.pullRequest?.url ?? null),
  createdAt: job.createdAt.toISOString(),
  archivedAt: job.archivedAt?.toISOString() ?? null,
  title: job.title,
  promptPreview: job.promptPreview,
  publish: job.publish,
  topic: job.topic,
  metadata: job.metadata,
  outcome: job.outcome,
  error: job.error as Static<typeof AgentJob>['error'],
  reply: job.reply,
  pullRequest: job.pullRequest && { ...job.pullRequest, checks: [...job.pullRequest.checks] },
  queuedMessages: job.queuedMessages,
  pendingStop: job.pendingStop,
  usage: job.usage,
  checks: job.checks as Static<typeof AgentJob>['checks'],
  newHosts: [...job.newHosts],
  approval: job.approval && {
    ...job.approval,
    reasons: [...job.approval.reasons],
    newHosts: [...job.approval.newHosts],
    requestedAt: job.approval.requestedAt.toISOString(),
  },
  updatedAt: job.updatedAt.toISOString(),
})
