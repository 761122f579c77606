/** Turns as the worker moves them: take up, publish, finish, fail. Each is safe to repeat after a lost answer. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Id } from '../platform/ids.ts'
import type { PullRequest } from './job.ts'
import { apply, type JobEvent, type JobState, turnInHand } from './job-state.ts'
import { noteTitle } from './job-words.ts'
import type { JobOutcome, PullRequestText } from './outcome.ts'
import type { OpenedPullRequest } from './pull-request-store.ts'
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
  /** Of all that the job changed since its base; undefined: as it was before this turn. */
  diff?: string | null
  reply: string | null
  title: string | null
  checks: unknown[]
  pullRequest: (PullRequest & { written: PullRequestText }) | null
}

/** What publishing needs to know of a turn and its job. */
export interface TurnToPublish {
  number: number
  startedAt: Date
  /** What an earlier try at publishing was about to push, and where. */
  branch: string | null
  commit: string | null
  startBranch: string | null
  job: {
    title: string | null
    prompt: string
    ref: string
    publish: 'pull_request' | 'diff'
    draft: boolean
    pullRequest: { number: number; url: string; branch: string; written: PullRequestText | null } | null
    /** How many branches the job has had so far. */
    branches: number
  }
}

export interface TurnFailure {
  code: string
  message: string
}

interface EndedTurn {
  outcome: JobOutcome
  error: TurnFailure | null
  reply: string | null
  title: string | null
  /** Columns of its job. */
  more: object
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

  /**
   * From here on the turn finishes, whatever is asked for; before it, a stop that was asked for wins. Undefined: there is no
   * result to publish, because the turn is to be performed again.
   */
  async beginPublishing(turnId: Id<'trn'>): Promise<TurnInHand | undefined> {
    return this.#lockedByTurn(turnId, async (tx, locked, turn) => {
      const result = await tx
        .selectFrom('turn_result')
        .select('turn_id')
        .where('turn_id', '=', turnId)
        .executeTakeFirst()
      if (!result && turnInHand(locked.state)?.number === turn) return undefined
      await transition(tx, locked, { type: 'publish', turn }, new Date())
      return { projectId: locked.projectId, jobId: locked.jobId, turnId }
    })
  }

  /** One holder at a time, for so long, unless it says so again. False: somebody else has it. */
  async holdPublishing(turnId: Id<'trn'>, holder: string, seconds: number): Promise<boolean> {
    const held = await this.#db
      .updateTable('turn')
      .set({
        publish_lease_holder: holder,
        publish_lease_expires_at: sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`,
      })
      .where('id', '=', turnId)
      .where((where) =>
        where.or([
          where('publish_lease_holder', 'is', null),
          where('publish_lease_holder', '=', holder),
          where('publish_lease_expires_at', '<', sql<Date>`clock_timestamp()`),
        ]),
      )
      .returning('id')
      .executeTakeFirst()
    return held !== undefined
  }

  async letGoOfPublishing(turnId: Id<'trn'>, holder: string): Promise<void> {
    await this.#db
      .updateTable('turn')
      .set({ publish_lease_holder: null, publish_lease_expires_at: null })
      .where('id', '=', turnId)
      .where('publish_lease_holder', '=', holder)
      .execute()
  }

  /** Back to the runners, with a deadline of its own. False: that was tried before. */
  async performAgain(turnId: Id<'trn'>): Promise<boolean> {
    return this.#lockedByTurn(turnId, async (tx, locked, turn) => {
      const again = await tx
        .updateTable('turn')
        .set({ restarted: true, deadline_at: null, branch: null, commit_id: null })
        .where('id', '=', turnId)
        .where('restarted', '=', false)
        .returning('id')
        .executeTakeFirst()
      if (!again) return false
      await transition(tx, locked, { type: 'perform_again', turn }, new Date())
      await tx.deleteFrom('turn_result').where('turn_id', '=', turnId).execute()
      return true
    })
  }

  /** The job's pull request, if it was open when last heard of. */
  async readOpenPullRequest(turnId: Id<'trn'>): Promise<OpenedPullRequest | undefined> {
    const row = await this.#db
      .selectFrom('turn')
      .innerJoin('job', 'job.id', 'turn.job_id')
      .select([
        'job.project_id',
        'job.id',
        'job.pull_request_number',
        'job.pull_request_url',
        'job.pull_request_branch',
      ])
      .where('turn.id', '=', turnId)
      .where('job.pull_request_state', '=', 'open')
      .executeTakeFirst()
    return (
      row && {
        projectId: row.project_id,
        jobId: row.id,
        number: Number(row.pull_request_number),
        url: row.pull_request_url ?? '',
        branch: row.pull_request_branch ?? '',
      }
    )
  }

  async finish(turnId: Id<'trn'>, outcome: TurnOutcome): Promise<void> {
    await this.#end(turnId, 'finish', () => ({
      outcome: outcome.outcome,
      error: null,
      reply: outcome.reply,
      title: outcome.title,
      more: {
        checks: JSON.stringify(outcome.checks),
        ...(outcome.diff !== undefined && { diff: outcome.diff }),
        ...(outcome.pullRequest && {
          pull_request_number: outcome.pullRequest.number,
          pull_request_url: outcome.pullRequest.url,
          pull_request_branch: outcome.pullRequest.branch,
          pull_request_state: outcome.pullRequest.state,
          pull_request_text: JSON.stringify(outcome.pullRequest.written),
          pull_request_poll_at: sql<Date>`now()`,
          // What was said of an earlier commit, or of another pull request, is not said of this one.
          pull_request_conflicts: null,
          pull_request_checks: null,
          pull_request_check_logs: null,
          pull_request_preview_url: null,
          pull_request_comments_since: sql<Date | null>`CASE WHEN pull_request_number = ${outcome.pullRequest.number}
            THEN pull_request_comments_since END`,
        }),
      },
    }))
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
        'turn.start_branch',
        'turn.prompt',
      ])
      .select([
        'job.title',
        'job.ref',
        'job.publish',
        'job.draft',
        'job.pull_request_number',
        'job.pull_request_url',
        'job.pull_request_branch',
        'job.pull_request_text',
      ])
      .where('turn.id', '=', turnId)
      .executeTakeFirstOrThrow()
    const { branches } = await this.#db
      .selectFrom('turn')
      .select(sql<number>`count(DISTINCT branch)::int`.as('branches'))
      .where('job_id', '=', row.job_id)
      .executeTakeFirstOrThrow()
    const { pull_request_number: number, pull_request_url: url, pull_request_branch: branch } = row
    return {
      number: row.number,
      startedAt: row.started_at ?? row.created_at,
      branch: row.branch,
      commit: row.commit_id,
      startBranch: row.start_branch,
      job: {
        title: row.title,
        prompt: row.prompt,
        ref: row.ref,
        publish: row.publish,
        draft: row.draft,
        pullRequest:
          number && url && branch ? { number: Number(number), url, branch, written: row.pull_request_text } : null,
        branches,
      },
    }
  }

  /** Where the job's work on a branch began. */
  async firstBaseOn(jobId: Id<'job'>, branch: string | undefined): Promise<string | undefined> {
    if (branch === undefined) return undefined
    const row = await this.#db
      .selectFrom('turn')
      .innerJoin('turn_result', 'turn_result.turn_id', 'turn.id')
      .select('turn_result.base_commit')
      .where('turn.job_id', '=', jobId)
      .where('turn.branch', '=', branch)
      .orderBy('turn.number')
      .limit(1)
      .executeTakeFirst()
    return row?.base_commit
  }

  async noteCommit(turnId: Id<'trn'>, branch: string, commit: string): Promise<void> {
    await this.#db.updateTable('turn').set({ branch, commit_id: commit }).where('id', '=', turnId).execute()
  }

  async noteRefusal(turnId: Id<'trn'>, refusal: string): Promise<void> {
    await this.#db.updateTable('turn').set({ refusal }).where('id', '=', turnId).execute()
  }

  /**
   * `cancelled` counts only when somebody asked for it: a cancellation that came late must not end another turn. And whatever
   * else ended a turn that was asked to stop, the stop is why.
   */
  async fail(turnId: Id<'trn'>, failure: TurnFailure): Promise<void> {
    await this.#end(turnId, 'fail', (state) => {
      const isStopped = state.pendingStop !== null && turnInHand(state)?.status === 'running'
      const cancelled = isStopped || failure.code === 'cancelled'
      if (cancelled && !state.pendingStop) return undefined
      const error = cancelled ? null : failure
      return { outcome: cancelled ? 'cancelled' : 'error', error, reply: null, title: null, more: {} }
    })
  }

  async #end(
    turnId: Id<'trn'>,
    type: 'finish' | 'fail',
    /** Undefined: it does not end. */
    how: (state: JobState) => EndedTurn | undefined,
  ): Promise<void> {
    await this.#lockedByTurn(turnId, async (tx, locked, turn) => {
      const event: JobEvent = { type, turn }
      const decided = apply(locked.state, event)
      if ('refused' in decided) return // it has ended already: the answer was lost, not the work
      const ended = how(locked.state)
      if (!ended) return
      const at = new Date()
      // A runner that died with it would count as running, and its project would have one place less for ever.
      await tx
        .updateTable('turn_attempt')
        .set({ ended_at: at })
        .where('turn_id', '=', turnId)
        .where('ended_at', 'is', null)
        .execute()
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
      if (ended.title !== null) await noteTitle(tx, locked, ended.title)
      await tx
        .updateTable('job')
        .set({
          updated_at: at,
          ...(next.status !== 'active' && { outcome: ended.outcome, ...error }),
          ...(ended.reply !== null && { reply: ended.reply }),
          ...(ended.title !== null && { title: sql<string>`coalesce(title, ${ended.title})` }),
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

  /**
   * Active jobs in which nothing moved for a while; they are marked, so that each is woken by one replica only. In a paused
   * project nothing is to move, but for a stop.
   */
  async takeStandingStill(forSeconds: number, limit: number): Promise<{ id: Id<'job'>; stopRequested: boolean }[]> {
    const rows = await this.#db
      .updateTable('job')
      .set({ progressed_at: sql<Date>`clock_timestamp()` })
      .where('id', 'in', (query) =>
        query
          .selectFrom('job')
          .select('id')
          .where('status', '=', 'active')
          .where((where) =>
            where.or([
              where('pending_stop', 'is not', null),
              where.not(
                where.exists(
                  where
                    .selectFrom('project')
                    .select('project.id')
                    .whereRef('project.id', '=', 'job.project_id')
                    .where('project.paused_at', 'is not', null),
                ),
              ),
            ]),
          )
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
