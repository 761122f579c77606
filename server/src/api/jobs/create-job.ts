import Type from 'typebox'
import { formatRateLimitHeaders } from '../../jobs/hourly-limit.ts'
import type { SignalJob } from '../../jobs/job-signaler.ts'
import type { JobStore } from '../../jobs/job-store.ts'
import { defaultModelAlias } from '../../models/model.ts'
import type { ModelStore } from '../../models/model-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import { createResponse } from '../../platform/http/route.ts'
import type { Id } from '../../platform/ids.ts'
import type { RepositoryStore } from '../../projects/repository-store.ts'
import { describeRepositoryIssue } from '../repository/repository.ts'
import { defineRoute, type Route } from '../route.ts'
import { ProjectParams, SingleLineText } from '../schemas.ts'
import { AgentJob, IdempotencyHeader, Prompt, toAgentJobResponse } from './agent-job.ts'
import { continuedJobExample, createdJobExample } from './agent-job-examples.ts'

// The rules of git for branch names, which are stricter than those for other refs.
const Ref = Type.String({
  maxLength: 200,
  pattern:
    '^(?![/.@-])(?!.*(?:\\.\\.|//|/\\.|@\\{|\\.lock(?:/|$)))[^\\u0000-\\u0020~^:?*\\[\\\\\\u007f-\\u00a0\\u2028\\u2029]+(?<![/.])$',
  description: 'Branch to work from. Defaults to the base branch of the repository.',
  examples: ['main'],
})

const CreateJob = Type.Object(
  {
    prompt: Prompt,
    ref: Type.Optional(Ref),
    model: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Name of a model that the project can use. Defaults to the default model.',
        examples: ['claude-sonnet-4-5'],
      }),
    ),
    title: Type.Optional(
      SingleLineText({
        minLength: 1,
        maxLength: 200,
        description: 'Title of the job and of its pull request. By default the agent chooses one.',
        examples: ['Proxy settings in the quickstart'],
      }),
    ),
    draft: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether the pull request is opened as a draft.' }),
    ),
    publish: Type.Optional(
      Type.Enum(['pull_request', 'diff'], {
        default: 'pull_request',
        description:
          '`pull_request` pushes a branch and opens a pull request. `diff` pushes nothing; read the changes with the diff endpoint.',
      }),
    ),
    topic: Type.Optional(
      SingleLineText({
        minLength: 1,
        maxLength: 200,
        description:
          'Your name for a line of work. There is at most one open job per topic: if one exists, the prompt is sent to it as a message and the response is 200.',
        examples: ['nightly-link-check'],
      }),
    ),
    metadata: Type.Optional(
      Type.Record(Type.String({ pattern: '^[\\s\\S]{1,100}$' }), Type.String({ maxLength: 1000 }), {
        additionalProperties: false,
        maxProperties: 50,
        description: 'Your own key-value pairs. They are returned unchanged.',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ prompt: 'Explain in the quickstart how to use a proxy.' }] },
)

export function createJobRoute({
  jobs,
  repositories,
  models,
  startJob,
  wakeJob,
}: {
  jobs: JobStore
  repositories: RepositoryStore
  models: ModelStore
  startJob: SignalJob
  wakeJob: SignalJob
}): Route {
  return defineRoute({
    method: 'POST',
    url: '/v2/agent/:projectId/job',
    access: 'agent:write',
    name: 'createJob',
    tag: 'Agent jobs',
    summary: 'Create an agent job',
    description:
      'Creates a job and starts it in the background. Poll the job until its `status` is no longer `active`, or stream its events. If an open job has the same `topic`, the prompt is sent to that job and the response is 200. Rate limit: 100 jobs per project per hour.',
    schemas: {
      params: ProjectParams,
      headers: IdempotencyHeader,
      body: CreateJob,
      responses: { 200: AgentJob, 201: AgentJob },
    },
    responseHeaders: {
      200: ['Location', 'RateLimit', 'RateLimit-Policy'],
      201: ['Location', 'RateLimit', 'RateLimit-Policy'],
      429: ['RateLimit', 'RateLimit-Policy'],
    },
    responseExamples: { 200: { ...continuedJobExample, topic: 'nightly-link-check' }, 201: createdJobExample },
    problems: ['project_not_ready', 'job_archived', 'queue_full', 'idempotency_key_reused', 'rate_limited'],
    async handle({ projectId, actor, body, headers }) {
      const repository = await repositories.find(projectId)
      if (!repository) {
        throw new Problem(
          'project_not_ready',
          'The project has no repository. Connect one in the settings of the project, or with `colophon-server admin repository connect`.',
        )
      }
      if (repository.issue) {
        await repositories.requestPoll([projectId]) // the issue may have been fixed on the code host a moment ago
        throw new Problem('project_not_ready', describeRepositoryIssue(repository.issue, repository.access))
      }
      const path = `/v2/agent/${projectId}/job`
      const { prompt, ref, model, title, draft, publish, topic, metadata } = body
      const accepted = await jobs.create(
        projectId,
        {
          prompt,
          repository: `${repository.owner}/${repository.name}`,
          ref: ref ?? repository.baseBranch,
          model: model ?? defaultModelAlias,
          title: title ?? null,
          draft: draft ?? false,
          publish: publish ?? 'pull_request',
          topic: topic ?? null,
          metadata: metadata ?? {},
        },
        {
          actor,
          present: toAgentJobResponse,
          idempotency: idempotency(headers['idempotency-key'], path, body),
          rejection: await checkModel(models, projectId, model),
        },
      )
      const location = { location: `${path}/${accepted.body.id}` }
      if (accepted.kind === 'replayed') return createResponse(accepted.status as 200 | 201, accepted.body, location)
      const isNew = accepted.status === 201
      await (isNew ? startJob : wakeJob)(accepted.jobId) // takes at most a second and never throws: the dispatcher wakes jobs that this misses
      return createResponse(accepted.status, accepted.body, { ...location, ...formatRateLimitHeaders(accepted.limit) })
    },
  })
}

async function checkModel(
  models: ModelStore,
  projectId: Id<'prj'>,
  model: string | undefined,
): Promise<Problem | undefined> {
  if (await models.find(projectId, model ?? defaultModelAlias)) return undefined
  if (model === undefined) {
    return new Problem(
      'project_not_ready',
      'There is no default model. Send `model`, or add a default model in the settings or with `colophon-server admin model add --default`.',
    )
  }
  const message = 'is not a model that the project can use: see `GET /v2/agent/{projectId}/models`'
  return new Problem('invalid_request', `body/model ${message}.`, { errors: [{ path: 'body/model', message }] })
}

const idempotency = (key: string | undefined, path: string, body: unknown) =>
  key === undefined ? undefined : { key, method: 'POST', path, body }
