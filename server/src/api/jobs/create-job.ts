import Type from 'typebox'
import { limitHeaders } from '../../jobs/hourly-limit.ts'
import type { JobStore } from '../../jobs/job-store.ts'
import type { WakeJob } from '../../jobs/wake-job.ts'
import { defaultModel } from '../../models/model.ts'
import type { ModelStore } from '../../models/model-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { Id } from '../../platform/ids.ts'
import type { RepositoryStore } from '../../projects/repository-store.ts'
import { describeRepositoryIssue } from '../repository/repository.ts'
import { type Route, respond, route } from '../route.ts'
import { OneLine, ProjectParams } from '../schemas.ts'
import { AgentJob, IdempotencyHeader, Prompt, toResponse } from './agent-job.ts'

// As git has it for branch names, which is stricter than for other refs.
const Ref = Type.String({
  maxLength: 200,
  pattern:
    '^(?![/.@-])(?!.*(?:\\.\\.|//|/\\.|@\\{|\\.lock(?:/|$)))[^\\u0000-\\u0020~^:?*\\[\\\\\\u007f-\\u00a0\\u2028\\u2029]+(?<![/.])$',
  description: "The branch to work from; the project's base branch unless given.",
})

const CreateJob = Type.Object(
  {
    prompt: Prompt,
    ref: Type.Optional(Ref),
    model: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'One of those that the project may use; the default one unless given.',
      }),
    ),
    title: Type.Optional(OneLine({ minLength: 1, maxLength: 200 })),
    draft: Type.Optional(Type.Boolean({ description: 'Open the pull request as a draft.' })),
    publish: Type.Optional(
      Type.Enum(['pull_request', 'diff'], { description: '`diff`: nothing is pushed, the diff is the result.' }),
    ),
    topic: Type.Optional(
      OneLine({
        minLength: 1,
        maxLength: 200,
        description: 'One open job per topic: a second create with it is a message to that job, and answers 200.',
      }),
    ),
    metadata: Type.Optional(
      Type.Record(Type.String({ pattern: '^[\\s\\S]{1,100}$' }), Type.String({ maxLength: 1000 }), {
        additionalProperties: false,
        maxProperties: 50,
        description: 'Yours; given back as it is.',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ prompt: 'Explain in the quickstart how to pass a proxy.' }] },
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
  startJob: WakeJob
  wakeJob: WakeJob
}): Route {
  return route({
    method: 'POST',
    url: '/v2/agent/:projectId/job',
    access: 'agent:write',
    name: 'createJob',
    tag: 'Agent jobs',
    summary: 'Create an agent job',
    description:
      'The job runs in the background: poll it until it is `completed`, `archived` or `failed`. At most 100 an hour per project.',
    schemas: {
      params: ProjectParams,
      headers: IdempotencyHeader,
      body: CreateJob,
      responses: { 200: AgentJob, 201: AgentJob },
    },
    refuses: ['project_not_ready', 'job_archived', 'queue_full', 'idempotency_key_reused', 'rate_limited'],
    async handle({ projectId, actor, body, headers }) {
      const repository = await repositories.find(projectId)
      if (!repository) {
        throw new Problem(
          'project_not_ready',
          'The project has no repository yet: connect one in its settings, or with `colophon-server admin repository connect`.',
        )
      }
      if (repository.issue) {
        await repositories.hintLook([projectId]) // it may have been mended on the host a moment ago
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
          model: model ?? defaultModel,
          title: title ?? null,
          draft: draft ?? false,
          publish: publish ?? 'pull_request',
          topic: topic ?? null,
          metadata: metadata ?? {},
        },
        {
          actor,
          body: toResponse,
          idempotency: idempotency(headers['idempotency-key'], path, body),
          refused: await modelRefusal(models, projectId, model),
        },
      )
      const location = { location: `${path}/${accepted.body.id}` }
      if (accepted.kind === 'replayed') return respond(accepted.status as 200 | 201, accepted.body, location)
      const isNew = accepted.status === 201
      await (isNew ? startJob : wakeJob)(accepted.jobId) // at most a second and never throws: the dispatcher wakes what was missed
      return respond(accepted.status, accepted.body, { ...location, ...limitHeaders(accepted.limit) })
    },
  })
}

async function modelRefusal(
  models: ModelStore,
  projectId: Id<'prj'>,
  model: string | undefined,
): Promise<Problem | undefined> {
  if (await models.find(projectId, model ?? defaultModel)) return undefined
  if (model === undefined) {
    return new Problem(
      'project_not_ready',
      'The project has no default model: name one, or add one in the settings, or with `colophon-server admin model add --default`.',
    )
  }
  const message = 'is not a model that the project may use: see `GET /v2/agent/{projectId}/models`'
  return new Problem('invalid_request', `body/model ${message}.`, { errors: [{ path: 'body/model', message }] })
}

const idempotency = (key: string | undefined, path: string, body: unknown) =>
  key === undefined ? undefined : { key, method: 'POST', path, body }
