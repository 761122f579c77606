/** What API clients do with jobs: create, send messages, read, cancel, archive. */
import { sql } from 'kysely'
import { type Actor, recordAudit } from '../audit/audit-store.ts'
import type { Database } from '../database/database.ts'
import { type Id, isId } from '../platform/ids.ts'
import { selectAwaitingResult } from './held-result.ts'
import { type Job, toJob } from './job.ts'
import type { JobOutcome } from './job-outcome.ts'
import { buildJobSearchCondition } from './job-search.ts'
import type { JobStatus, TurnStatus } from './job-state.ts'
import { jobNotFoundProblem, lockJob, transitionJob } from './job-transition.ts'
import { jobsQuery, readJob } from './read-job.ts'
import {
  type JobRequestContext,
  type JobRequestResult,
  type NewJob,
  type NewMessage,
  WorkAcceptor,
} from './work-acceptor.ts'

export interface Message {
  number: number
  prompt: string
  failedCheck: string | null
  comment: { author: string; url: string } | null
  resolvesConflicts: boolean
  /** Nobody sent it: a CI check failed. */
  isAutomatic: boolean
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

export interface JobQuery {
  status: JobStatus | undefined
  outcome: JobOutcome | undefined
  /** Searched in the title, the id and the beginning of the prompt. */
  search: string | undefined
  limit: number
  before: string | undefined
}

/** A job of a topic can have thousands of messages. */
export const defaultMessageLimit = 100

/** Of PostgreSQL's type `integer`. */
const maxInteger = 2_147_483_647

export class JobStore {
  readonly #db: Database
  readonly #acceptor: WorkAcceptor

  constructor(db: Database) {
    this.#db = db
    this.#acceptor = new WorkAcceptor(db)
  }

  async create<Body>(
    projectId: Id<'prj'>,
    job: NewJob,
    request: JobRequestContext<Body>,
  ): Promise<JobRequestResult<Body>> {
    return this.#acceptor.accept(projectId, { kind: 'job', job }, request)
  }

  async message<Body>(
    projectId: Id<'prj'>,
    jobId: string,
    message: NewMessage,
    request: JobRequestContext<Body>,
  ): Promise<JobRequestResult<Body>> {
    if (!isId('job', jobId)) throw jobNotFoundProblem()
    return this.#acceptor.accept(projectId, { kind: 'message', jobId, message }, request)
  }

  async get(projectId: Id<'prj'>, jobId: string): Promise<Job> {
    if (!isId('job', jobId)) throw jobNotFoundProblem()
    return readJob(this.#db, projectId, jobId)
  }

  /** Of a job that awaits approval, the diff that would be pushed. */
  async diff(projectId: Id<'prj'>, jobId: string): Promise<string | null> {
    if (!isId('job', jobId)) throw jobNotFoundProblem()
    const row = await this.#db
      .selectFrom('job')
      .select('diff')
      .select((query) => selectAwaitingResult(query).select('held_result.diff').as('held_diff'))
      .where('project_id', '=', projectId)
      .where('id', '=', jobId)
      .executeTakeFirst()
    if (!row) throw jobNotFoundProblem()
    return row.held_diff ?? row.diff
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

  /** The newest ones, in the order in which they were sent. `before` is the number of the first message of the page after this one. */
  async messages(
    projectId: Id<'prj'>,
    jobId: string,
    { limit, before }: { limit: number; before?: number | undefined } = { limit: defaultMessageLimit },
  ): Promise<Message[]> {
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
      .where('turn.number', '<', before ?? maxInteger)
      .orderBy('turn.number', 'desc')
      .limit(limit)
      .execute()
    return rows.reverse().map((row) => ({
      number: row.number,
      prompt: row.prompt,
      failedCheck: row.failed_check?.name ?? null,
      comment:
        row.comment_author === null || row.comment_url === null
          ? null
          : { author: row.comment_author, url: row.comment_url },
      resolvesConflicts: row.resolves_conflicts,
      isAutomatic: row.failed_commit !== null,
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
        await transitionJob(tx, locked, { type })
        await recordAudit(tx, projectId, actor, {
          action: type === 'cancel' ? 'job.cancelled' : 'job.archived',
          subject: jobId,
          detail: {},
        })
      } else if (type === 'cancel') await transitionJob(tx, locked, { type }) // throws `not_cancellable`
      return readJob(tx, projectId, jobId)
    })
  }
}
