/** Jobs as clients see them: create, message, look, cancel, archive. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Actor, AuditedActor, RecordAudit } from '../audit/audit-store.ts'
import { Problem } from '../platform/http/problem.ts'
import { type Id, isId, newId } from '../platform/ids.ts'
import type { FailedCheck } from './host-check.ts'
import { type LimitState, lockProject, refuseFlood, takeFromHour } from './hourly-limit.ts'
import { findReplay, type IdempotentRequest, storeResponse } from './idempotency.ts'
import { asJob, type Job, jobColumns, shownPromptCharacters } from './job.ts'
import { type JobStatus, newJob, type TurnStatus } from './job-state.ts'
import { matchesSearch, searchTextOf } from './job-words.ts'
import type { JobOutcome } from './outcome.ts'
import type { JobTables } from './tables.ts'
import { TakeTurns } from './take-turns.ts'
import { type LockedJob, lockJob, noSuchJob, refusalOf, transition } from './transition.ts'

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

/** What a message says, and what it came with. */
export interface NewMessage {
  prompt: string
  /** The name of a failed check on the job's pull request: the agent is given what it said. */
  failedCheck?: string | undefined
  /** On the pull request, that it was read from. */
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

/** What came of a create or a message: new work, or the answer that was given before under the same key. */
export type Accepted<Body> =
  | { kind: 'accepted'; status: 200 | 201; body: Body; jobId: Id<'job'>; limit: LimitState }
  | { kind: 'replayed'; status: number; body: Body }

export interface Request<Body> {
  actor: AuditedActor
  idempotency: IdempotentRequest | undefined
  /** Why it is refused, unless it was answered before. */
  refused?: Error | undefined
  /** Made inside the transaction, because it is stored with the key and must be the same again. */
  body: (job: Job) => Body
}

export interface WantedJobs {
  status: JobStatus | undefined
  outcome: JobOutcome | undefined
  /** In title, id or the beginning of the prompt. */
  words: string | undefined
  limit: number
  before: string | undefined
}

interface Work {
  job: Job
  limit: LimitState
  status: 200 | 201
}

export class JobStore {
  readonly #db: Kysely<JobTables>
  readonly #recordAudit: RecordAudit
  readonly #turns = new TakeTurns<Id<'prj'>>()

  constructor(db: Kysely<JobTables>, recordAudit: RecordAudit) {
    this.#db = db
    this.#recordAudit = recordAudit
  }

  async create<Body>(projectId: Id<'prj'>, wanted: NewJob, request: Request<Body>): Promise<Accepted<Body>> {
    // With a topic it may be a message, which has a limit of its own.
    const refuse = async () => (wanted.topic === null ? refuseFlood(this.#db, projectId, 'jobs') : undefined)
    return this.#accept(projectId, request, refuse, async (tx, at) => {
      const open = wanted.topic === null ? undefined : await findOpenTopic(tx, projectId, wanted.topic)
      if (open) return this.#addMessage(tx, projectId, open, { prompt: wanted.prompt }, request.actor, at)
      const limit = await takeFromHour(tx, projectId, 'jobs', at)
      const jobId = newId('job')
      const { prompt, metadata, ...columns } = wanted
      const searchText = searchTextOf({ id: jobId, title: wanted.title, prompt })
      const row = await tx
        .with('job_words_added', (db) =>
          db.insertInto('job_search').values({ project_id: projectId, job_id: jobId, search_text: searchText }),
        )
        .with('first_turn', (db) => db.insertInto('turn').values(newTurn(projectId, jobId, 1, prompt, at)))
        .insertInto('job')
        .values({
          ...columns,
          project_id: projectId,
          id: jobId,
          status: newJob.status,
          metadata: JSON.stringify(metadata),
          created_at: at,
          updated_at: at,
          progressed_at: at,
        })
        .returning(jobColumns)
        .executeTakeFirstOrThrow()
      await this.#recordAudit(tx, projectId, request.actor, {
        action: 'job.created',
        subject: jobId,
        detail: { model: wanted.model, ref: wanted.ref },
      })
      return {
        job: asJob({
          ...row,
          prompt: [...prompt].slice(0, shownPromptCharacters).join(''),
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
    request: Request<Body>,
  ): Promise<Accepted<Body>> {
    if (!isId('job', jobId)) throw noSuchJob()
    const refuse = async () => {
      const full = await refuseFlood(this.#db, projectId, 'messages')
      return full && ((await refusalOf(this.#db, projectId, jobId, { type: 'message' })) ?? full)
    }
    return this.#accept(projectId, request, refuse, (tx, at) =>
      this.#addMessage(tx, projectId, jobId, message, request.actor, at),
    )
  }

  async #addMessage(
    tx: Transaction<JobTables>,
    projectId: Id<'prj'>,
    jobId: Id<'job'>,
    { prompt, failedCheck, comment }: NewMessage,
    actor: AuditedActor,
    at: Date,
  ): Promise<Work> {
    const locked = await lockJob(tx, projectId, jobId)
    if (comment && (await isTaken(tx, locked, comment.id))) throw new CommentTaken()
    const next = await transition(tx, locked, { type: 'message' }, at)
    const limit = await takeFromHour(tx, projectId, 'messages', at)
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
    await this.#recordAudit(tx, projectId, actor, { action: 'job.message_sent', subject: jobId, detail })
    return { job: await readJob(tx, projectId, jobId), limit, status: 200 }
  }

  /**
   * One transaction: the project's turn, the answer given before, the work, the answer kept for the next time. Before it,
   * and without a lock, what would come to nothing anyway: repeats, and in a flood, which is when some have to wait, what
   * the hour has no place for. That is looked at first and counts last: the very job that filled the hour may be the one
   * that is asked for again.
   */
  #accept<Body>(
    projectId: Id<'prj'>,
    { idempotency, refused: refusedBefore, body }: Request<Body>,
    refuse: () => Promise<Error | undefined>,
    work: (tx: Transaction<JobTables>, at: Date) => Promise<Work>,
  ): Promise<Accepted<Body>> {
    const replay = async (db: Kysely<JobTables>): Promise<Accepted<Body> | undefined> => {
      const known = idempotency && (await findReplay(db, projectId, idempotency))
      return known && { kind: 'replayed', status: known.status, body: known.body as Body }
    }
    return this.#turns.run(projectId, async (hadToWait) => {
      const refused = refusedBefore ?? (hadToWait ? await refuse() : undefined)
      const known = await replay(this.#db)
      if (known) return known
      if (refused) throw refused
      return this.#db.transaction().execute(async (tx): Promise<Accepted<Body>> => {
        const at = await lockProject(tx, projectId)
        const knownByNow = await replay(tx)
        if (knownByNow) return knownByNow
        const { job, limit, status } = await work(tx, at)
        const response = body(job)
        if (idempotency) await storeResponse(tx, projectId, idempotency, { status, body: response }, at)
        return { kind: 'accepted', status, body: response, jobId: job.id, limit }
      })
    })
  }

  async get(projectId: Id<'prj'>, jobId: string): Promise<Job> {
    if (!isId('job', jobId)) throw noSuchJob()
    return readJob(this.#db, projectId, jobId)
  }

  async diff(projectId: Id<'prj'>, jobId: string): Promise<string | null> {
    if (!isId('job', jobId)) throw noSuchJob()
    const row = await this.#db
      .selectFrom('job')
      .select('diff')
      .where('project_id', '=', projectId)
      .where('id', '=', jobId)
      .executeTakeFirst()
    if (!row) throw noSuchJob()
    return row.diff
  }

  /** Newest first; `before` is the last id of the page before. */
  async list(projectId: Id<'prj'>, { status, outcome, words, limit, before }: WantedJobs): Promise<Job[]> {
    let query = jobsWithQueue(this.#db).where('job.project_id', '=', projectId)
    if (status !== undefined) query = query.where('job.status', '=', status)
    if (outcome !== undefined) query = query.where('job.outcome', '=', outcome)
    if (words !== undefined) query = query.where(matchesSearch(this.#db, words))
    if (before !== undefined && isId('job', before)) query = query.where('job.id', '<', before)
    const rows = await query.orderBy('job.id', 'desc').limit(limit).execute()
    return rows.map(asJob)
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

  /** A turn that is worked on stops soon; one that publishes finishes first. Either way the job says so when it is done. */
  cancel(projectId: Id<'prj'>, jobId: string, actor: Actor): Promise<Job> {
    return this.#stop(projectId, jobId, 'cancel', actor)
  }

  archive(projectId: Id<'prj'>, jobId: string, actor: Actor): Promise<Job> {
    return this.#stop(projectId, jobId, 'archive', actor)
  }

  async #stop(projectId: Id<'prj'>, jobId: string, type: 'cancel' | 'archive', actor: Actor): Promise<Job> {
    if (!isId('job', jobId)) throw noSuchJob()
    return this.#db.transaction().execute(async (tx) => {
      const locked = await lockJob(tx, projectId, jobId)
      if (locked.state.status !== 'archived') {
        await transition(tx, locked, { type }, new Date())
        await this.#recordAudit(tx, projectId, actor, {
          action: type === 'cancel' ? 'job.cancelled' : 'job.archived',
          subject: jobId,
          detail: {},
        })
      } else if (type === 'cancel') await transition(tx, locked, { type }, new Date()) // refuses
      return readJob(tx, projectId, jobId)
    })
  }
}

/** Creates of one project take turns, so there is one; the newest, should somebody have opened an older one again. */
async function findOpenTopic(
  tx: Transaction<JobTables>,
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

/** It is a message already, or was refused: somebody else read it at the same time. */
export class CommentTaken extends Error {
  override name = 'CommentTaken'
}

async function isTaken(
  tx: Transaction<JobTables>,
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

/** As it is now: it may be gone from the pull request when the agent comes to it. */
async function findFailedCheck(
  tx: Transaction<JobTables>,
  { projectId, jobId }: LockedJob,
  name: string,
): Promise<FailedCheck> {
  const { pullRequest } = await readJob(tx, projectId, jobId)
  const named = pullRequest?.checks.filter((check) => check.name === name) ?? []
  const failed = named.find(({ status: state }) => state === 'failed')
  if (failed) return { name, summary: failed.summary, log: failed.log }
  const message = named.length > 0 ? 'has not failed' : "is not the name of a check on the job's pull request"
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

const jobsWithQueue = (db: Kysely<JobTables>) =>
  db
    .selectFrom('job')
    .select(jobColumns)
    .select((query) =>
      query
        .selectFrom('turn')
        .select(sql<string>`left(prompt, ${sql.lit(shownPromptCharacters)})`.as('beginning'))
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

async function readJob(db: Kysely<JobTables>, projectId: Id<'prj'>, jobId: Id<'job'>): Promise<Job> {
  const row = await jobsWithQueue(db)
    .select('pull_request_check_logs')
    .where('job.project_id', '=', projectId)
    .where('job.id', '=', jobId)
    .executeTakeFirst()
  if (!row) throw noSuchJob()
  return asJob(row)
}
