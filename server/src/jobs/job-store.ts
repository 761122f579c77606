/** What API clients do with jobs: create, send messages, read, cancel, archive. */
import { sql } from 'kysely'
import { type Actor, type AuditedActor, recordAudit } from '../audit/audit-store.ts'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import { Problem } from '../platform/http/problem.ts'
import { type Id, isId, newId } from '../platform/ids.ts'
import type { FailedCheck } from './ci-check.ts'
import { checkHourlyLimit, consumeHourlyLimit, type HourlyLimitState, lockProject } from './hourly-limit.ts'
import { findIdempotentResponse, type IdempotentRequest, storeIdempotentResponse } from './idempotency.ts'
import { type Job, jobColumns, maxPromptPreviewCharacters, toJob } from './job.ts'
import type { JobOutcome } from './job-outcome.ts'
import { buildJobSearchCondition, buildJobSearchTextSql } from './job-search.ts'
import { initialJobState, type JobStatus, type TurnStatus } from './job-state.ts'
import {
  findTransitionRejection,
  jobNotFoundProblem,
  type LockedJob,
  lockJob,
  transitionJob,
} from './job-transition.ts'
import { KeyedMutex } from './keyed-mutex.ts'

export interface NewJob {
  prompt: string
  repository: string
  ref: string
  model: string
  title: string | null
  draft: boolean
  publish: 'pull_request' | 'diff'
  topic: string | null
  metadata: Record<string, string>
}

export interface NewMessage {
  prompt: string
  /** The name of a failed check on the job's pull request. The agent gets its summary and log. */
  failedCheck?: string | undefined
  /** The pull request comment that the message was read from. */
  comment?: { id: number; author: string; url: string } | undefined
}

export interface Message {
  number: number
  prompt: string
  failedCheck: string | null
  comment: { author: string; url: string } | null
  status: TurnStatus
  outcome: JobOutcome | null
  error: { code: string; message: string } | null
  reply: string | null
  createdAt: Date
  startedAt: Date | null
  claimedAt: Date | null
  publishingStartedAt: Date | null
  endedAt: Date | null
}

/** The result of a create or a message: new work, or the stored response to an earlier request with the same idempotency key. */
export type JobRequestResult<Body> =
  | { kind: 'accepted'; status: 200 | 201; body: Body; jobId: Id<'job'>; limit: HourlyLimitState }
  | { kind: 'replayed'; status: number; body: Body }

export interface JobRequestContext<Body> {
  actor: AuditedActor
  idempotency: IdempotentRequest | undefined
  /** Why the request is rejected, unless there is a stored response to it. */
  rejection?: Error | undefined
  /** Called inside the transaction, because the response is stored with the key and repeated later. */
  body: (job: Job) => Body
}

export interface JobQuery {
  status: JobStatus | undefined
  outcome: JobOutcome | undefined
  /** Searched in the title, the id and the beginning of the prompt. */
  search: string | undefined
  limit: number
  before: string | undefined
}

interface WorkResult {
  job: Job
  limit: HourlyLimitState
  status: 200 | 201
}

export class JobStore {
  readonly #db: Database
  readonly #projectMutex = new KeyedMutex<Id<'prj'>>()

  constructor(db: Database) {
    this.#db = db
  }

  async create<Body>(
    projectId: Id<'prj'>,
    input: NewJob,
    request: JobRequestContext<Body>,
  ): Promise<JobRequestResult<Body>> {
    // With a topic the request may become a message, which has its own limit.
    const findRejection = async () => (input.topic === null ? checkHourlyLimit(this.#db, projectId, 'jobs') : undefined)
    return this.#accept(projectId, request, findRejection, async (tx, at) => {
      const openJobId = input.topic === null ? undefined : await findOpenTopic(tx, projectId, input.topic)
      if (openJobId) return this.#addMessage(tx, projectId, openJobId, { prompt: input.prompt }, request.actor, at)
      const limit = await consumeHourlyLimit(tx, projectId, 'jobs', at)
      const jobId = newId('job')
      const { prompt, metadata, ...columns } = input
      const searchText = buildJobSearchTextSql({ id: jobId, title: input.title, prompt })
      const row = await tx
        .with('job_search_added', (db) =>
          db.insertInto('job_search').values({ project_id: projectId, job_id: jobId, search_text: searchText }),
        )
        .with('first_turn', (db) => db.insertInto('turn').values(newTurn(projectId, jobId, 1, prompt, at)))
        .insertInto('job')
        .values({
          ...columns,
          project_id: projectId,
          id: jobId,
          status: initialJobState.status,
          metadata: JSON.stringify(metadata),
          created_at: at,
          updated_at: at,
          progressed_at: at,
        })
        .returning(jobColumns)
        .executeTakeFirstOrThrow()
      await recordAudit(tx, projectId, request.actor, {
        action: 'job.created',
        subject: jobId,
        detail: { model: input.model, ref: input.ref },
      })
      return {
        job: toJob({
          ...row,
          prompt: [...prompt].slice(0, maxPromptPreviewCharacters).join(''),
          queued_messages: 0,
          usage: null,
        }),
        limit,
        status: 201,
      }
    })
  }

  async message<Body>(
    projectId: Id<'prj'>,
    jobId: string,
    message: NewMessage,
    request: JobRequestContext<Body>,
  ): Promise<JobRequestResult<Body>> {
    if (!isId('job', jobId)) throw jobNotFoundProblem()
    const findRejection = async () => {
      const rateLimited = await checkHourlyLimit(this.#db, projectId, 'messages')
      return (
        rateLimited && ((await findTransitionRejection(this.#db, projectId, jobId, { type: 'message' })) ?? rateLimited)
      )
    }
    return this.#accept(projectId, request, findRejection, (tx, at) =>
      this.#addMessage(tx, projectId, jobId, message, request.actor, at),
    )
  }

  async #addMessage(
    tx: DatabaseTransaction,
    projectId: Id<'prj'>,
    jobId: Id<'job'>,
    { prompt, failedCheck, comment }: NewMessage,
    actor: AuditedActor,
    at: Date,
  ): Promise<WorkResult> {
    const locked = await lockJob(tx, projectId, jobId)
    if (comment && (await isProcessed(tx, locked, comment.id))) throw new CommentAlreadyProcessedError()
    const next = await transitionJob(tx, locked, { type: 'message' }, at)
    const limit = await consumeHourlyLimit(tx, projectId, 'messages', at)
    const number = next.turns.at(-1)?.number ?? 1
    const checkReport =
      failedCheck === undefined ? null : JSON.stringify(await findFailedCheck(tx, locked, failedCheck))
    await tx
      .insertInto('turn')
      .values({ ...newTurn(projectId, jobId, number, prompt, at), failed_check: checkReport })
      .execute()
    if (comment) {
      const { id, author, url } = comment
      await tx
        .insertInto('pull_request_comment')
        .values({ project_id: projectId, job_id: jobId, comment_id: id, turn_number: number, author, url })
        .execute()
    }
    const detail = comment ? { comment: comment.url, author: comment.author } : {}
    await recordAudit(tx, projectId, actor, { action: 'job.message_sent', subject: jobId, detail })
    return { job: await readJob(tx, projectId, jobId), limit, status: 200 }
  }

  /**
   * One transaction locks the project, looks for a stored response, does the work and stores the response. Requests that need
   * no work are handled before it, without a lock: repeats and, if this request had to wait (which means a flood), requests
   * over the hourly limit. The limit is read before the stored response but applies after it: a repeated request may be the
   * very one that used up the limit.
   */
  #accept<Body>(
    projectId: Id<'prj'>,
    { idempotency, rejection: rejectedBefore, body }: JobRequestContext<Body>,
    findRejection: () => Promise<Error | undefined>,
    work: (tx: DatabaseTransaction, at: Date) => Promise<WorkResult>,
  ): Promise<JobRequestResult<Body>> {
    const findStored = async (db: Database): Promise<JobRequestResult<Body> | undefined> => {
      const stored = idempotency && (await findIdempotentResponse(db, projectId, idempotency))
      return stored && { kind: 'replayed', status: stored.status, body: stored.body as Body }
    }
    return this.#projectMutex.run(projectId, async (hadToWait) => {
      const rejection = rejectedBefore ?? (hadToWait ? await findRejection() : undefined)
      const stored = await findStored(this.#db)
      if (stored) return stored
      if (rejection) throw rejection
      return this.#db.transaction().execute(async (tx): Promise<JobRequestResult<Body>> => {
        const at = await lockProject(tx, projectId)
        const storedMeanwhile = await findStored(tx)
        if (storedMeanwhile) return storedMeanwhile
        const { job, limit, status } = await work(tx, at)
        const response = body(job)
        if (idempotency) await storeIdempotentResponse(tx, projectId, idempotency, { status, body: response }, at)
        return { kind: 'accepted', status, body: response, jobId: job.id, limit }
      })
    })
  }

  async get(projectId: Id<'prj'>, jobId: string): Promise<Job> {
    if (!isId('job', jobId)) throw jobNotFoundProblem()
    return readJob(this.#db, projectId, jobId)
  }

  async diff(projectId: Id<'prj'>, jobId: string): Promise<string | null> {
    if (!isId('job', jobId)) throw jobNotFoundProblem()
    const row = await this.#db
      .selectFrom('job')
      .select('diff')
      .where('project_id', '=', projectId)
      .where('id', '=', jobId)
      .executeTakeFirst()
    if (!row) throw jobNotFoundProblem()
    return row.diff
  }

  /** Newest first. `before` is the last id of the previous page. */
  async list(projectId: Id<'prj'>, { status, outcome, search, limit, before }: JobQuery): Promise<Job[]> {
    let query = jobsQuery(this.#db).where('job.project_id', '=', projectId)
    if (status !== undefined) query = query.where('job.status', '=', status)
    if (outcome !== undefined) query = query.where('job.outcome', '=', outcome)
    if (search !== undefined) query = query.where(buildJobSearchCondition(this.#db, search))
    if (before !== undefined && isId('job', before)) query = query.where('job.id', '<', before)
    const rows = await query.orderBy('job.id', 'desc').limit(limit).execute()
    return rows.map(toJob)
  }

  async messages(projectId: Id<'prj'>, jobId: string): Promise<Message[]> {
    await this.get(projectId, jobId)
    const rows = await this.#db
      .selectFrom('turn')
      .leftJoin('pull_request_comment as comment', (join) =>
        join
          .onRef('comment.project_id', '=', 'turn.project_id')
          .onRef('comment.job_id', '=', 'turn.job_id')
          .onRef('comment.turn_number', '=', 'turn.number'),
      )
      .selectAll('turn')
      .select(['comment.author as comment_author', 'comment.url as comment_url'])
      .select((query) =>
        query
          .selectFrom('turn_attempt')
          .select(sql<Date | null>`min(claimed_at)`.as('first'))
          .whereRef('turn_attempt.turn_id', '=', 'turn.id')
          .as('claimed_at'),
      )
      .where('turn.project_id', '=', projectId)
      .where('turn.job_id', '=', jobId as Id<'job'>)
      .orderBy('turn.number')
      .execute()
    return rows.map((row) => ({
      number: row.number,
      prompt: row.prompt,
      failedCheck: row.failed_check?.name ?? null,
      comment:
        row.comment_author === null || row.comment_url === null
          ? null
          : { author: row.comment_author, url: row.comment_url },
      status: row.status,
      outcome: row.outcome,
      error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
      reply: row.reply,
      createdAt: row.created_at,
      startedAt: row.started_at,
      claimedAt: row.claimed_at,
      publishingStartedAt: row.publishing_started_at,
      endedAt: row.ended_at,
    }))
  }

  /** A running turn stops soon. A publishing turn finishes first, unless the project is paused. The job stays active until then. */
  cancel(projectId: Id<'prj'>, jobId: string, actor: Actor): Promise<Job> {
    return this.#stop(projectId, jobId, 'cancel', actor)
  }

  archive(projectId: Id<'prj'>, jobId: string, actor: Actor): Promise<Job> {
    return this.#stop(projectId, jobId, 'archive', actor)
  }

  async #stop(projectId: Id<'prj'>, jobId: string, type: 'cancel' | 'archive', actor: Actor): Promise<Job> {
    if (!isId('job', jobId)) throw jobNotFoundProblem()
    return this.#db.transaction().execute(async (tx) => {
      const locked = await lockJob(tx, projectId, jobId)
      if (locked.state.status !== 'archived') {
        await transitionJob(tx, locked, { type }, new Date())
        await recordAudit(tx, projectId, actor, {
          action: type === 'cancel' ? 'job.cancelled' : 'job.archived',
          subject: jobId,
          detail: {},
        })
      } else if (type === 'cancel') await transitionJob(tx, locked, { type }, new Date()) // throws `not_cancellable`
      return readJob(tx, projectId, jobId)
    })
  }
}

/** Creates of one project exclude each other, so there is at most one; the newest, if an older pull request was reopened. */
async function findOpenTopic(
  tx: DatabaseTransaction,
  projectId: Id<'prj'>,
  topic: string,
): Promise<Id<'job'> | undefined> {
  const row = await tx
    .selectFrom('job')
    .select('id')
    .where('project_id', '=', projectId)
    .where('topic', '=', topic)
    .where('status', '<>', 'archived')
    .where((where) => where.or([where('pull_request_state', 'is', null), where('pull_request_state', '=', 'open')]))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

/** The comment already is a message, or was rejected: another poll read it at the same time. */
export class CommentAlreadyProcessedError extends Error {
  override name = 'CommentAlreadyProcessedError'
}

async function isProcessed(
  tx: DatabaseTransaction,
  { projectId, jobId }: LockedJob,
  commentId: number,
): Promise<boolean> {
  const row = await tx
    .selectFrom('pull_request_comment')
    .select('comment_id')
    .where('project_id', '=', projectId)
    .where('job_id', '=', jobId)
    .where('comment_id', '=', String(commentId))
    .executeTakeFirst()
  return row !== undefined
}

/** A snapshot: the check may be gone from the pull request when the agent gets it. */
async function findFailedCheck(
  tx: DatabaseTransaction,
  { projectId, jobId }: LockedJob,
  name: string,
): Promise<FailedCheck> {
  const { pullRequest } = await readJob(tx, projectId, jobId)
  const matching = pullRequest?.checks.filter((check) => check.name === name) ?? []
  const failed = matching.find(({ status }) => status === 'failed')
  if (failed) return { name, summary: failed.summary, log: failed.log }
  const message = matching.length > 0 ? 'has not failed' : "is not the name of a check on the job's pull request"
  throw new Problem('invalid_request', `body/failedCheck ${message}.`, {
    errors: [{ path: 'body/failedCheck', message }],
  })
}

const newTurn = (projectId: Id<'prj'>, jobId: Id<'job'>, number: number, prompt: string, at: Date) => ({
  project_id: projectId,
  job_id: jobId,
  id: newId('trn'),
  number,
  prompt,
  status: 'queued' as const,
  created_at: at,
})

const jobsQuery = (db: Database) =>
  db
    .selectFrom('job')
    .select(jobColumns)
    .select((query) =>
      query
        .selectFrom('turn')
        .select(sql<string>`left(prompt, ${sql.lit(maxPromptPreviewCharacters)})`.as('preview'))
        .whereRef('turn.project_id', '=', 'job.project_id')
        .whereRef('turn.job_id', '=', 'job.id')
        .where('turn.number', '=', 1)
        .$asScalar()
        .$notNull()
        .as('prompt'),
    )
    .select((query) =>
      query
        .selectFrom('turn')
        .select(sql<string>`count(*)`.as('count'))
        .whereRef('turn.project_id', '=', 'job.project_id')
        .whereRef('turn.job_id', '=', 'job.id')
        .where('turn.status', '=', 'queued')
        .where('turn.number', '>', 1)
        .$asScalar()
        .$notNull()
        .as('queued_messages'),
    )
    .select((query) =>
      query
        .selectFrom('job_usage')
        .select(
          sql<Job['usage'] | null>`json_build_object(
            'inputTokens', input_tokens, 'outputTokens', output_tokens, 'costUsd', cost_usd)`.as('counts'),
        )
        .whereRef('job_usage.project_id', '=', 'job.project_id')
        .whereRef('job_usage.job_id', '=', 'job.id')
        .as('usage'),
    )

async function readJob(db: Database, projectId: Id<'prj'>, jobId: Id<'job'>): Promise<Job> {
  const row = await jobsQuery(db)
    .select('pull_request_check_logs')
    .where('job.project_id', '=', projectId)
    .where('job.id', '=', jobId)
    .executeTakeFirst()
  if (!row) throw jobNotFoundProblem()
  return toJob(row)
}
