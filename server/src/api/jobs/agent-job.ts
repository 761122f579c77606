import Type, { type Static } from 'typebox'
import { ciCheckStatuses } from '../../jobs/host-check.ts'
import type { Job } from '../../jobs/job.ts'
import { jobStatuses } from '../../jobs/job-state.ts'
import { jobOutcomes, pullRequestStates } from '../../jobs/outcome.ts'
import { DateTime, idParam, nullable, ProjectParams } from '../schemas.ts'

export const JobParams = Type.Object({ ...ProjectParams.properties, id: idParam("The job's id, like `job_…`.") })

export const Prompt = Type.String({ minLength: 1, maxLength: 50_000, description: 'What the agent is to do.' })

export const IdempotencyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'The same key and body give the first answer again, for 24 hours, and use nothing of the limit.',
    }),
  ),
})

const PullRequestSchema = Type.Object({
  url: Type.String({ format: 'uri' }),
  number: Type.Integer(),
  branch: Type.String(),
  state: Type.Enum(pullRequestStates),
  hasConflicts: nullable(Type.Boolean(), {
    description: 'With the branch that it is to be merged into. Null: not known, or no longer open.',
  }),
  previewUrl: nullable(Type.String({ format: 'uri' }), { description: 'Where the site with the change can be seen.' }),
  checks: Type.Array(
    Type.Object({
      name: Type.String(),
      status: Type.Enum(ciCheckStatuses),
      url: nullable(Type.String({ format: 'uri' })),
      summary: nullable(Type.String()),
      log: nullable(Type.String(), {
        description: 'The end of it. Null: the check has not failed, the code host gives none, or this is a list.',
      }),
    }),
    { description: "The code host's own, on the last commit." },
  ),
})

export const AgentJob = Type.Object(
  {
    id: Type.String(),
    status: Type.Enum(jobStatuses),
    source: Type.Object({ repository: Type.String(), ref: Type.String() }),
    model: Type.String(),
    prLink: nullable(Type.String({ format: 'uri' }), {
      description: 'The pull request. Null while the job is `active`, and when no file was changed.',
    }),
    createdAt: DateTime('When the job was created.'),
    archivedAt: nullable(DateTime('When the job was archived.')),
    title: nullable(Type.String()),
    promptPreview: Type.String({ description: 'How the first prompt begins: at most 200 characters.' }),
    publish: Type.Enum(['pull_request', 'diff']),
    topic: nullable(Type.String()),
    metadata: Type.Record(Type.String(), Type.String()),
    outcome: nullable(Type.Enum(jobOutcomes), { description: 'Null while the job is `active`.' }),
    error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
    reply: nullable(Type.String(), { description: "The agent's last words." }),
    pullRequest: nullable(PullRequestSchema, {
      description: 'The latest pull request, also while the job is `active`, as the code host last told of it.',
    }),
    queuedMessages: Type.Integer({ minimum: 0 }),
    pendingStop: nullable(Type.Enum(['cancel', 'archive']), {
      description: 'Asked for, and happens as soon as the turn in hand has stopped.',
    }),
    usage: Type.Object({ inputTokens: Type.Integer(), outputTokens: Type.Integer(), costUsd: nullable(Type.Number()) }),
    checks: Type.Array(
      Type.Object({ name: Type.String(), status: Type.String(), findings: Type.Array(Type.String()) }),
    ),
    updatedAt: DateTime('When something last changed.'),
  },
  { $id: 'AgentJob' },
)

export const toResponse = (job: Job): Static<typeof AgentJob> => ({
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
  error: job.error,
  reply: job.reply,
  pullRequest: job.pullRequest && { ...job.pullRequest, checks: [...job.pullRequest.checks] },
  queuedMessages: job.queuedMessages,
  pendingStop: job.pendingStop,
  usage: job.usage,
  checks: job.checks as Static<typeof AgentJob>['checks'],
  updatedAt: job.updatedAt.toISOString(),
})
