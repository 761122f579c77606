/** Turns as the worker moves them: take up, publish, finish, fail. Each is safe to repeat after a lost answer. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Id } from '../platform/ids.ts'
import type { PullRequest } from './job.ts'
import { apply, type JobEvent, turnInHand } from './job-state.ts'
import type { JobOutcome } from './outcome.ts'
import type { JobTables } from './tables.ts'
import { type LockedJob, lockJob, TurnRefused, transition } from './transition.ts'

export interface TurnInHand {
  projectId: Id<'prj'>
  jobId: Id<'job'>
  turnId: Id<'trn'>
}

/** How a turn ended well. */
export interface TurnOutcome {
  outcome: Exclude<JobOutcome, 'cancelled' | 'error'>
  /** Null: no file was changed, and an earlier diff stays. */
  diff: string | null
  reply: string | null
  title: string | null
  checks: unknown[]
  pullRequest: PullRequest | null
  inputTokens: number
  outputTokens: number
}

/** What publishing needs to know of a turn and its job. */
export interface TurnToPublish {
  number: number
  startedAt: Date
  /** What an earlier try at publishing was about to push, and where. */
  branch: string | null
  commit: string | null
  job: {
    title: string | null
    prompt: string
    ref: string
    publish: 'pull_request' | 'diff'
    draft: boolean
    pullRequest: { number: number; branch: string } | null
    /** How many branches the job has had so far. */
    branches: number
  }
}

export interface TurnFailure {
  code: string
  message: string
}

export class TurnStore {
  readonly #db: Kysely<JobTables>

  constructor(db: Kysely<JobTables>) {
    this.#db = db
  }

  /** The turn that is worked on, if there is one, else the oldest that waits. */
  async takeNext(jobId: Id<'job'>): Promise<TurnInHand | undefined> {
    return this.#locked(jobId, async (tx, locked) => {
      const next = await transition(tx, locked, { type: 'take' }, new Date())
      const taken = turnInHand(next)
      if (!taken) return undefined
      const { id } = await tx
        .selectFrom('turn')
        .select('id')
        .where('project_id', '=', locked.projectId)
        .where('job_id', '=', jobId)
        .where('number', '=', taken.number)
        .executeTakeFirstOrThrow()
      return { projectId: locked.projectId, jobId, turnId: id }
    })
  }

  /** From here on the turn finishes, whatever is asked for; before it, a stop that was asked for wins. */
  async beginPublishing(turnId: Id<'trn'>): Promise<TurnInHand> {
    return this.#lockedByTurn(turnId, async (tx, locked, turn) => {
      await transition(tx, locked, { type: 'publish', turn }, new Date())
      return { projectId: locked.projectId, jobId: locked.jobId, turnId }
    })
  }

  async finish(turnId: Id<'trn'>, outcome: TurnOutcome): Promise<void> {
    await this.#end(turnId, 'finish', {
      outcome: outcome.outcome,
      error: null,
      reply: outcome.reply,
      more: {
        checks: JSON.stringify(outcome.checks),
        input_tokens: sql<number>`input_tokens + ${outcome.inputTokens}`,
        output_tokens: sql<number>`output_tokens + ${outcome.outputTokens}`,
        ...(outcome.diff !== null && { diff: outcome.diff }),
        ...(outcome.title !== null && { title: sql<string>`coalesce(title, ${outcome.title})` }),
        ...(outcome.pullRequest && {
          pull_request_number: outcome.pullRequest.number,
          pull_request_url: outcome.pullRequest.url,
          pull_request_branch: outcome.pullRequest.branch,
          pull_request_state: outcome.pullRequest.state,
          pull_request_due_at: sql<Date>`now()`,
        }),
      },
    })
  }

  async readToPublish(turnId: Id<'trn'>): Promise<TurnToPublish> {
    const row = await this.#db
      .selectFrom('turn')
      .innerJoin('job', 'job.id', 'turn.job_id')
      .select([
        'turn.job_id',
        'turn.number',
        'turn.started_at',
        'turn.created_at',
        'turn.branch',
        'turn.commit_id',
        'turn.prompt',
      ])
      .select([
        'job.title',
        'job.ref',
        'job.publish',
        'job.draft',
        'job.pull_request_number',
        'job.pull_request_branch',
      ])
      .where('turn.id', '=', turnId)
      .executeTakeFirstOrThrow()
    const { branches } = await this.#db
      .selectFrom('turn')
      .select(sql<number>`count(DISTINCT branch)::int`.as('branches'))
      .where('job_id', '=', row.job_id)
      .executeTakeFirstOrThrow()
    const { pull_request_number: number, pull_request_branch: branch } = row
    return {
      number: row.number,
      startedAt: row.started_at ?? row.created_at,
      branch: row.branch,
      commit: row.commit_id,
      job: {
        ...{ title: row.title, prompt: row.prompt, ref: row.ref, publish: row.publish, draft: row.draft },
        pullRequest: number && branch ? { number: Number(number), branch } : null,
        branches,
      },
    }
  }

  async noteCommit(turnId: Id<'trn'>, branch: string, commit: string): Promise<void> {
    await this.#db.updateTable('turn').set({ branch, commit_id: commit }).where('id', '=', turnId).execute()
  }

  async noteRefusal(turnId: Id<'trn'>, refusal: string): Promise<void> {
    await this.#db.updateTable('turn').set({ refusal }).where('id', '=', turnId).execute()
  }

  /** `cancelled` counts only when somebody asked for it: a cancellation that came late must not end another turn. */
  async fail(turnId: Id<'trn'>, failure: TurnFailure): Promise<void> {
    const cancelled = failure.code === 'cancelled'
    await this.#end(turnId, 'fail', {
      outcome: cancelled ? 'cancelled' : 'error',
      error: cancelled ? null : failure,
      reply: null,
      more: {},
      onlyIfStopped: cancelled,
    })
  }

  async #end(
    turnId: Id<'trn'>,
    type: 'finish' | 'fail',
    ended: {
      outcome: JobOutcome
      error: TurnFailure | null
      reply: string | null
      more: object
      onlyIfStopped?: boolean
    },
  ): Promise<void> {
    await this.#lockedByTurn(turnId, async (tx, locked, turn) => {
      const event: JobEvent = { type, turn }
      if (ended.onlyIfStopped && !locked.state.pendingStop) return
      const decided = apply(locked.state, event)
      if ('refused' in decided) return // it has ended already: the answer was lost, not the work
      const at = new Date()
      const next = await transition(tx, locked, event, at)
      const { refusal } = await tx
        .selectFrom('turn')
        .select('refusal')
        .where('id', '=', turnId)
        .executeTakeFirstOrThrow()
      const words = ended.error && [ended.error.message, ended.error.code === 'result_refused' ? refusal : null]
      const error = {
        error_code: ended.error?.code ?? null,
        error_message: words?.filter((part) => part !== null).join(' ') ?? null,
      }
      await tx
        .updateTable('turn')
        .set({ outcome: ended.outcome, reply: ended.reply, ...error })
        .where('id', '=', turnId)
        .execute()
      await tx
        .updateTable('job')
        .set({
          ...(next.status !== 'active' && { outcome: ended.outcome, ...error }),
          ...(ended.reply !== null && { reply: ended.reply }),
          ...ended.more,
        })
        .where('project_id', '=', locked.projectId)
        .where('id', '=', locked.jobId)
        .execute()
    })
  }

  async #locked<Result>(
    jobId: Id<'job'>,
    work: (tx: Transaction<JobTables>, locked: LockedJob) => Promise<Result>,
  ): Promise<Result> {
    return this.#db.transaction().execute(async (tx) => {
      const job = await tx.selectFrom('job').select('project_id').where('id', '=', jobId).executeTakeFirst()
      if (!job) throw new TurnRefused('not_that_turn')
      return work(tx, await lockJob(tx, job.project_id, jobId))
    })
  }

  async #lockedByTurn<Result>(
    turnId: Id<'trn'>,
    work: (tx: Transaction<JobTables>, locked: LockedJob, number: number) => Promise<Result>,
  ): Promise<Result> {
    const turn = await this.#db
      .selectFrom('turn')
      .select(['job_id', 'number'])
      .where('id', '=', turnId)
      .executeTakeFirst()
    if (!turn) throw new TurnRefused('not_that_turn')
    return this.#locked(turn.job_id, (tx, locked) => work(tx, locked, turn.number))
  }

  /** Active jobs in which nothing moved for a while; they are marked, so that each is woken by one replica only. */
  async takeStandingStill(forSeconds: number, limit: number): Promise<{ id: Id<'job'>; stopRequested: boolean }[]> {
    const rows = await this.#db
      .updateTable('job')
      .set({ progressed_at: sql<Date>`clock_timestamp()` })
      .where('id', 'in', (query) =>
        query
          .selectFrom('job')
          .select('id')
          .where('status', '=', 'active')
          .where('progressed_at', '<', sql<Date>`clock_timestamp() - make_interval(secs => ${forSeconds})`)
          .orderBy('progressed_at')
          .limit(limit)
          .forUpdate()
          .skipLocked(),
      )
      .returning(['id', 'pending_stop'])
      .execute()
    return rows.map(({ id, pending_stop }) => ({ id, stopRequested: pending_stop !== null }))
  }

  /** Ended jobs that nobody touched for so many days. */
  async archiveIdle(days: number, limit: number): Promise<number> {
    const idle = await this.#db
      .selectFrom('job')
      .select('id')
      .where('status', 'in', ['completed', 'failed'])
      .where('updated_at', '<', sql<Date>`now() - make_interval(days => ${days})`)
      .limit(limit)
      .execute()
    for (const { id } of idle) {
      await this.#locked(id, async (tx, locked) => {
        if (locked.state.status !== 'active') await transition(tx, locked, { type: 'archive' }, new Date())
      })
    }
    return idle.length
  }
}
