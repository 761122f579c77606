/**
 * Accepts new work: a job, or a message to a job. The first check that fails determines the response, in the order that the API
 * guarantees (docs/api.md, "Handle errors"). The checks of the route come before these:
 *
 *   1. idempotency key: a repeated request gets the stored response, another request with the key `idempotency_key_reused`
 *   2. model: `invalid_request` or `project_not_ready`, found by the route
 *   3. state of the job: `not_found`, `job_archived`, `queue_full`
 *   4. rate limit: `rate_limited`
 *   5. failed check that a message is about, and conflicts that it asks to resolve: `invalid_request`. Unlike the rest of the body, they
 *      are compared with what was observed on the pull request, which needs the job's row, so they come last.
 */
import { type AuditedActor, recordAudit } from '../audit/audit-store.ts'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import { Problem } from '../platform/http/problem.ts'
import { type Id, newId } from '../platform/ids.ts'
import { countMetric } from '../platform/metrics/metrics.ts'
import type { FailedCheck } from './ci-check.ts'
import { checkHourlyLimit, consumeHourlyLimit, type HourlyLimitState, lockProject } from './hourly-limit.ts'
import { findIdempotentResponse, type IdempotentRequest, storeIdempotentResponse } from './idempotency.ts'
import { type Job, jobColumns, maxPromptPreviewCharacters, toJob } from './job.ts'
import { buildJobSearchTextSql } from './job-search.ts'
import { initialJobState } from './job-state.ts'
import { findTransitionRejection, type LockedJob, lockJob, transitionJob } from './job-transition.ts'
import { KeyedMutex } from './keyed-mutex.ts'
import { readJob } from './read-job.ts'

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
  /** The agent merges the base branch and resolves the conflicts. */
  resolveConflicts?: boolean | undefined
  /** Set if nobody sent the message: CI checks of this commit failed. */
  automatic?: AutomaticMessage | undefined
}

export interface AutomaticMessage {
  commit: string
  pullRequestNumber: number
}

/** Per pull request. A check that the agent cannot fix must not use up the budget. */
export const maxAutomaticMessages = 2

export type NewWork = { kind: 'job'; job: NewJob } | { kind: 'message'; jobId: Id<'job'>; message: NewMessage }

/** The result of a create or a message: new work, or the stored response to an earlier request with the same idempotency key. */
export type JobRequestResult<Body> =
  | { kind: 'accepted'; status: 200 | 201; body: Body; jobId: Id<'job'>; limit: HourlyLimitState }
  | { kind: 'replayed'; status: number; body: Body }

export interface JobRequestContext<Body> {
  actor: AuditedActor
  idempotency: IdempotentRequest | undefined
  /** Why the request is rejected, unless there is a stored response to it. */
  rejection?: Error | undefined
  /** Returns the body of the response. Called in the transaction, because the response is stored with the key and repeated later. */
  present: (job: Job) => Body
}

/** For what is written in the transaction that accepts the work. */
interface Acceptance {
  tx: DatabaseTransaction
  projectId: Id<'prj'>
  actor: AuditedActor
  at: Date
}

interface AcceptedWork {
  job: Job
  limit: HourlyLimitState
  status: 200 | 201
}

export class WorkAcceptor {
  readonly #db: Database
  readonly #projectMutex = new KeyedMutex<Id<'prj'>>()

  constructor(db: Database) {
    this.#db = db
  }

  /**
   * One transaction locks the project, looks for a stored response, does the work and stores the response. Requests that need
   * no work are handled before it, without a lock: repeats and, if this request had to wait (which means a flood), requests
   * over the hourly limit. The limit is read before the stored response but applies after it: a repeated request may be the
   * very one that used up the limit.
   */
  accept<Body>(
    projectId: Id<'prj'>,
    work: NewWork,
    { actor, idempotency, rejection: rejectedByRoute, present }: JobRequestContext<Body>,
  ): Promise<JobRequestResult<Body>> {
    return this.#projectMutex.run(projectId, async (hadToWait) => {
      const rejection =
        rejectedByRoute ?? (hadToWait ? await findRejectionOverLimit(this.#db, projectId, work) : undefined)
      const stored = await findStored<Body>(this.#db, projectId, idempotency)
      if (stored) return stored
      if (rejection) throw rejection
      const result = await this.#db.transaction().execute(async (tx): Promise<JobRequestResult<Body>> => {
        const at = await lockProject(tx, projectId)
        const storedMeanwhile = await findStored<Body>(tx, projectId, idempotency)
        if (storedMeanwhile) return storedMeanwhile
        const { job, limit, status } = await this.#add(work, { tx, projectId, actor, at })
        const body = present(job)
        if (idempotency) await storeIdempotentResponse(tx, projectId, idempotency, { status, body }, at)
        return { kind: 'accepted', status, body, jobId: job.id, limit }
      })
      if (result.kind === 'accepted')
        countMetric('colophon_work_accepted_total', { kind: result.status === 201 ? 'job' : 'message' }, { projectId })
      return result
    })
  }

  async #add(work: NewWork, acceptance: Acceptance): Promise<AcceptedWork> {
    if (work.kind === 'message') return this.#addMessage(work.jobId, work.message, acceptance)
    const { topic, prompt } = work.job
    const openJobId = topic === null ? undefined : await findOpenTopic(acceptance, topic)
    return openJobId ? this.#addMessage(openJobId, { prompt }, acceptance) : this.#addJob(work.job, acceptance)
  }

  async #addJob(input: NewJob, { tx, projectId, actor, at }: Acceptance): Promise<AcceptedWork> {
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
    await recordAudit(tx, projectId, actor, {
      action: 'job.created',
      subject: jobId,
      detail: { model: input.model, ref: input.ref },
    })
    const promptPreview = [...prompt].slice(0, maxPromptPreviewCharacters).join('')
    return {
      job: toJob({ ...row, prompt: promptPreview, queued_messages: 0, usage: null, approval: null }),
      limit,
      status: 201,
    }
  }

  async #addMessage(
    jobId: Id<'job'>,
    { prompt, failedCheck, resolveConflicts = false, comment, automatic }: NewMessage,
    { tx, projectId, actor, at }: Acceptance,
  ): Promise<AcceptedWork> {
    const locked = await lockJob(tx, projectId, jobId) // 3. `not_found`
    if (comment && (await isProcessed(tx, locked, comment.id))) throw new CommentAlreadyProcessedError()
    if (automatic && !(await isDue(tx, locked, automatic))) throw new AutomaticMessageNotDueError()
    const approval = resolveConflicts ? (await readJob(tx, projectId, jobId)).approval : null // the next line ends it
    const next = await transitionJob(tx, locked, { type: 'message' }) // 3. `job_archived`, `queue_full`
    const limit = await consumeHourlyLimit(tx, projectId, 'messages', at) // 4. `rate_limited`
    const checkReport = // 5. `invalid_request`
      failedCheck === undefined ? null : JSON.stringify(await findFailedCheck(tx, locked, failedCheck))
    if (resolveConflicts) await assertMergeable(tx, locked, approval) // 5. `invalid_request`
    const number = next.turns.at(-1)?.number ?? 1
    await tx
      .insertInto('turn')
      .values({
        ...newTurn(projectId, jobId, number, prompt, at),
        failed_check: checkReport,
        resolves_conflicts: resolveConflicts,
        failed_commit: automatic?.commit ?? null,
        failed_pull_request_number: automatic?.pullRequestNumber ?? null,
      })
      .execute()
    if (comment) {
      const { id, author, url } = comment
      await tx
        .insertInto('pull_request_comment')
        .values({ project_id: projectId, job_id: jobId, comment_id: id, turn_number: number, author, url })
        .execute()
    }
    const detail = comment
      ? { comment: comment.url, author: comment.author }
      : automatic
        ? { failedCheck, commit: automatic.commit }
        : resolveConflicts
          ? { resolveConflicts }
          : {}
    await recordAudit(tx, projectId, actor, { action: 'job.message_sent', subject: jobId, detail })
    return { job: await readJob(tx, projectId, jobId), limit, status: 200 }
  }
}

async function findStored<Body>(
  db: Database,
  projectId: Id<'prj'>,
  idempotency: IdempotentRequest | undefined,
): Promise<JobRequestResult<Body> | undefined> {
  const stored = idempotency && (await findIdempotentResponse(db, projectId, idempotency))
  return stored && { kind: 'replayed', status: stored.status, body: stored.body as Body }
}

/** Undefined: the limit is not used up. Everything else is checked under the lock. */
async function findRejectionOverLimit(db: Database, projectId: Id<'prj'>, work: NewWork): Promise<Error | undefined> {
  if (work.kind === 'job') {
    // With a topic the request may become a message, which has its own limit.
    return work.job.topic === null ? checkHourlyLimit(db, projectId, 'jobs') : undefined
  }
  const rateLimited = await checkHourlyLimit(db, projectId, 'messages')
  return rateLimited && ((await findTransitionRejection(db, projectId, work.jobId, { type: 'message' })) ?? rateLimited)
}

/** Creates of one project exclude each other, so there is at most one; the newest, if an older pull request was reopened. */
async function findOpenTopic({ tx, projectId }: Acceptance, topic: string): Promise<Id<'job'> | undefined> {
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

/** The job is working again, the commit is not its own, its checks were sent before, or they were sent often enough. */
export class AutomaticMessageNotDueError extends Error {
  override name = 'AutomaticMessageNotDueError'
}

/** Only for a result that the job has published and nobody has changed since: other commits are the work of people. */
async function isDue(
  tx: DatabaseTransaction,
  { projectId, jobId, state }: LockedJob,
  { commit, pullRequestNumber }: AutomaticMessage,
): Promise<boolean> {
  if (state.status !== 'completed') return false
  const job = await tx
    .selectFrom('job')
    .select(['outcome', 'pull_request_state', 'pull_request_commit', 'pull_request_number'])
    .where('project_id', '=', projectId)
    .where('id', '=', jobId)
    .executeTakeFirstOrThrow()
  const isOwnCommit =
    job.outcome === 'pull_request' &&
    job.pull_request_state === 'open' &&
    job.pull_request_commit === commit &&
    Number(job.pull_request_number) === pullRequestNumber
  if (!isOwnCommit) return false
  const sent = await tx
    .selectFrom('turn')
    .select('failed_commit')
    .where('project_id', '=', projectId)
    .where('job_id', '=', jobId)
    .where('failed_pull_request_number', '=', String(pullRequestNumber))
    .execute()
  return sent.length < maxAutomaticMessages && sent.every(({ failed_commit }) => failed_commit !== commit)
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

/** The last known `hasConflicts` may be minutes old, so it does not matter. */
async function assertMergeable(
  tx: DatabaseTransaction,
  { projectId, jobId }: LockedJob,
  approval: Job['approval'],
): Promise<void> {
  const { pullRequest } = await readJob(tx, projectId, jobId)
  if (pullRequest?.state === 'open' && approval === null) return
  const message =
    approval === null
      ? 'needs an open pull request of the job'
      : 'is not possible while a result awaits approval: approve or reject it first'
  throw new Problem('invalid_request', `body/resolveConflicts ${message}.`, {
    errors: [{ path: 'body/resolveConflicts', message }],
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
