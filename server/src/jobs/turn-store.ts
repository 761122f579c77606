/** The steps of a turn in the worker: take, publish, finish, fail. Each can be repeated safely after a lost response. */
import { sql } from 'kysely'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import { olderVersionMayRun } from '../database/older-version.ts'
import type { Id } from '../platform/ids.ts'
import { countMetric } from '../platform/metrics/metrics.ts'
import type { HeldResult } from './approval.ts'
import { insertHeldResult } from './held-result.ts'
import type { PullRequest } from './job.ts'
import type { JobOutcome, PullRequestText } from './job-outcome.ts'
import { addTitleToSearch } from './job-search.ts'
import { applyEvent, findCurrentTurn, type JobState, type JobTransitionEvent } from './job-state.ts'
import { type LockedJob, lockJob, TurnTransitionRejectedError, transitionJob } from './job-transition.ts'
import type { OpenedPullRequest } from './pull-request-store.ts'
import { deleteSupersededChunks } from './result-chunks.ts'
import type { TurnFailureCode } from './turn-errors.ts'

export interface CurrentTurn {
  projectId: Id<'prj'>
  jobId: Id<'job'>
  turnId: Id<'trn'>
}

export type BeginPublishingResult =
  | { kind: 'begun'; turn: CurrentTurn }
  | { kind: 'paused' }
  /** The turn was restarted. */
  | { kind: 'no_result' }

/** The outcome of a completed turn. */
export interface TurnOutcome {
  outcome: Exclude<JobOutcome, 'cancelled' | 'error' | 'rejected'>
  /** Everything that the job has changed since its base. Undefined: unchanged by this turn. */
  diff?: string | null
  reply: string | null
  title: string | null
  checks: unknown[]
  /** Hosts in links and images that no page of the repository named before. Added to those of earlier turns. */
  newHosts?: readonly string[]
  /** Set if the outcome is `awaiting_approval`. */
  held?: HeldResult
  /** `commit`: the one that was pushed. Undefined: other commits made the same changes. */
  pullRequest: (PullRequest & { written: PullRequestText; commit: string | undefined }) | null
}

/** The data of a turn and its job that publishing needs. */
export interface TurnToPublish extends CurrentTurn {
  startedAt: Date
  /** Branch and commit that an earlier attempt to publish was about to push. */
  branch: string | null
  commit: string | null
  startBranch: string | null
  resolvesConflicts: boolean
  /** A person has approved this result. */
  isApproved: boolean
  job: {
    title: string | null
    ref: string
    publish: 'pull_request' | 'diff'
    draft: boolean
    pullRequest: { number: number; url: string; branch: string; written: PullRequestText | null } | null
    /** Number of branches that the job has used so far. */
    branchCount: number
    /** Of earlier turns. */
    newHosts: readonly string[]
  }
}

export interface BranchOfFailedTurn {
  projectId: Id<'prj'>
  jobId: Id<'job'>
  branch: string
  baseBranch: string
}

export interface TurnFailure {
  code: TurnFailureCode
  message: string
}

interface EndedTurn {
  outcome: Exclude<JobOutcome, 'rejected'>
  error: TurnFailure | null
  reply: string | null
  title: string | null
  held?: HeldResult | undefined
  /** Further columns of the job to update. */
  jobColumns: object
}

const toMetricResult = ({ outcome, error }: EndedTurn) =>
  outcome === 'error' ? (error?.code ?? 'internal_error') : outcome

export interface StallLimits {
  stallSeconds: number
  heartbeatTimeoutSeconds: number
  publishTimeoutSeconds: number
}

export interface StalledJob {
  id: Id<'job'>
  stopRequested: boolean
  /** Signals do not help: the workflow of the job is stuck. */
  needsRestart: boolean
}

/** Temporal ends publishing after its timeout, by its own clock. A new workflow would start the timeout again. */
const publishTimeoutMarginSeconds = 600

/** A signal that was lost is repeated, and then there is progress within seconds. */
const maxStalledWakes = 10

export class TurnStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Returns the current turn, or starts the oldest queued one. Undefined: there is none, or no such job. */
  async takeNext(jobId: Id<'job'>): Promise<CurrentTurn | undefined> {
    const job = await this.#db.selectFrom('job').select('id').where('id', '=', jobId).executeTakeFirst()
    if (!job) return undefined
    return this.#withLockedJob(jobId, async (tx, locked) => {
      const next = await transitionJob(tx, locked, { type: 'take' })
      const current = findCurrentTurn(next)
      if (!current) return undefined
      const { id } = await tx
        .selectFrom('turn')
        .select('id')
        .where('project_id', '=', locked.projectId)
        .where('job_id', '=', jobId)
        .where('number', '=', current.number)
        .executeTakeFirstOrThrow()
      return { projectId: locked.projectId, jobId, turnId: id }
    })
  }

  /** From here on the turn finishes even if a stop is requested; a stop requested earlier wins. */
  async beginPublishing(turnId: Id<'trn'>): Promise<BeginPublishingResult> {
    return this.#withLockedTurn(turnId, async (tx, locked, turn) => {
      const result = await tx
        .selectFrom('turn_result')
        .select('turn_id')
        .where('turn_id', '=', turnId)
        .executeTakeFirst()
      if (!result && findCurrentTurn(locked.state)?.number === turn) return { kind: 'no_result' }
      if (await isProjectPaused(tx, locked.projectId)) {
        await pausePublishing(tx, locked, { id: turnId, number: turn })
        return { kind: 'paused' }
      }
      await transitionJob(tx, locked, { type: 'publish', turn })
      return { kind: 'begun', turn: { projectId: locked.projectId, jobId: locked.jobId, turnId } }
    })
  }

  /** Publishing stopped because the project is paused. */
  async pausePublishing(turnId: Id<'trn'>): Promise<void> {
    await this.#withLockedTurn(turnId, (tx, locked, number) => pausePublishing(tx, locked, { id: turnId, number }))
  }

  isPaused(projectId: Id<'prj'>): Promise<boolean> {
    return isProjectPaused(this.#db, projectId)
  }

  /** Acquires or renews the publish lease, for `seconds`. False: another holder has it. */
  async acquirePublishLease(turnId: Id<'trn'>, holder: string, seconds: number): Promise<boolean> {
    const acquired = await this.#db
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
    return acquired !== undefined
  }

  async releasePublishLease(turnId: Id<'trn'>, holder: string): Promise<void> {
    await this.#db
      .updateTable('turn')
      .set({ publish_lease_holder: null, publish_lease_expires_at: null })
      .where('id', '=', turnId)
      .where('publish_lease_holder', '=', holder)
      .execute()
  }

  /** Discards the result and queues the turn for a runner again, with a new deadline. False: it was restarted before. */
  async restart(turnId: Id<'trn'>): Promise<boolean> {
    return this.#withLockedTurn(turnId, async (tx, locked, turn) => {
      const restarted = await tx
        .updateTable('turn')
        .set({ restarted: true, deadline_at: null, branch: null, commit_id: null })
        .where('id', '=', turnId)
        .where('restarted', '=', false)
        .returning('id')
        .executeTakeFirst()
      if (!restarted) return false
      await transitionJob(tx, locked, { type: 'restart', turn })
      await tx.deleteFrom('turn_result').where('turn_id', '=', turnId).execute()
      return true
    })
  }

  /** The job's pull request, if it was open at the last poll. */
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

  /**
   * The branch that an earlier turn of the job was about to push before it failed, if the job has no open pull request. Publishing
   * that ends by its timeout may have opened one, whose response was lost.
   */
  async readBranchOfFailedTurn(turnId: Id<'trn'>): Promise<BranchOfFailedTurn | undefined> {
    return await this.#db
      .selectFrom('turn')
      .innerJoin('job', 'job.id', 'turn.job_id')
      .innerJoin('turn as earlier', (join) =>
        join
          .onRef('earlier.project_id', '=', 'turn.project_id')
          .onRef('earlier.job_id', '=', 'turn.job_id')
          .onRef('earlier.number', '<', 'turn.number'),
      )
      .select(['job.project_id as projectId', 'job.id as jobId', 'job.ref as baseBranch'])
      .select(sql<string>`earlier.branch`.as('branch'))
      .where('turn.id', '=', turnId)
      .where('job.pull_request_state', 'is distinct from', 'open')
      .where('earlier.status', '=', 'failed')
      .where('earlier.branch', 'is not', null)
      .whereRef('earlier.branch', 'is distinct from', 'job.pull_request_branch')
      .orderBy('earlier.number', 'desc')
      .limit(1)
      .executeTakeFirst()
  }

  async finish(turnId: Id<'trn'>, outcome: TurnOutcome): Promise<void> {
    await this.#end(turnId, 'finish', () => ({
      outcome: outcome.outcome,
      error: null,
      reply: outcome.reply,
      title: outcome.title,
      held: outcome.held,
      jobColumns: {
        checks: JSON.stringify(outcome.checks),
        ...(outcome.newHosts && { new_hosts: mergeHosts(outcome.newHosts) }),
        ...(outcome.diff !== undefined && { diff: outcome.diff }),
        ...(outcome.pullRequest && {
          pull_request_number: outcome.pullRequest.number,
          pull_request_url: outcome.pullRequest.url,
          pull_request_branch: outcome.pullRequest.branch,
          pull_request_state: outcome.pullRequest.state,
          pull_request_commit: outcome.pullRequest.commit ?? null,
          pull_request_text: JSON.stringify(outcome.pullRequest.written),
          pull_request_poll_at: sql<Date>`now()`,
          // These describe an earlier commit or another pull request.
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

  async readTurnToPublish(turnId: Id<'trn'>): Promise<TurnToPublish> {
    const row = await this.#db
      .selectFrom('turn')
      .innerJoin('job', 'job.id', 'turn.job_id')
      .select(['turn.project_id', 'turn.job_id', 'turn.started_at', 'turn.created_at'])
      .leftJoin('held_result', 'held_result.turn_id', 'turn.id')
      .select(['turn.branch', 'turn.commit_id', 'turn.start_branch', 'turn.resolves_conflicts', 'held_result.decision'])
      .select([
        'job.title',
        'job.ref',
        'job.publish',
        'job.draft',
        'job.pull_request_number',
        'job.pull_request_url',
        'job.pull_request_branch',
        'job.pull_request_text',
        'job.new_hosts',
      ])
      .where('turn.id', '=', turnId)
      .executeTakeFirstOrThrow()
    const { branchCount } = await this.#db
      .selectFrom('turn')
      .select(sql<number>`count(DISTINCT branch)::int`.as('branchCount'))
      .where('job_id', '=', row.job_id)
      .executeTakeFirstOrThrow()
    const { pull_request_number: number, pull_request_url: url, pull_request_branch: branch } = row
    return {
      projectId: row.project_id,
      jobId: row.job_id,
      turnId,
      startedAt: row.started_at ?? row.created_at,
      branch: row.branch,
      commit: row.commit_id,
      startBranch: row.start_branch,
      resolvesConflicts: row.resolves_conflicts,
      isApproved: row.decision === 'approved',
      job: {
        title: row.title,
        ref: row.ref,
        publish: row.publish,
        draft: row.draft,
        pullRequest:
          number && url && branch ? { number: Number(number), url, branch, written: row.pull_request_text } : null,
        branchCount,
        newHosts: row.new_hosts,
      },
    }
  }

  /** The commit that the job's work on a branch is based on: the last one that was merged, otherwise the first base. */
  async findFirstBase(jobId: Id<'job'>, branch: string | undefined): Promise<string | undefined> {
    if (branch === undefined) return undefined
    const row = await this.#db
      .selectFrom('turn')
      .innerJoin('turn_result', 'turn_result.turn_id', 'turn.id')
      .select(({ fn }) => fn.coalesce('turn_result.merged_commit', 'turn_result.base_commit').as('base'))
      .where('turn.job_id', '=', jobId)
      .where('turn.branch', '=', branch)
      .where((where) =>
        where.or([where('turn_result.merged_commit', 'is', null), where('turn.status', '=', 'completed')]),
      )
      .orderBy(sql`CASE WHEN turn_result.merged_commit IS NOT NULL THEN turn.number END`, (order) =>
        order.desc().nullsLast(),
      )
      .orderBy('turn.number')
      .limit(1)
      .executeTakeFirst()
    return row?.base
  }

  /**
   * Records the commit that is about to be pushed. False: nothing may be pushed, because the project is paused, or the turn has
   * ended: it was cancelled while the project was paused, or publishing took too long.
   */
  async recordCommit(turnId: Id<'trn'>, branch: string, commit: string): Promise<boolean> {
    const recorded = await this.#db
      .updateTable('turn')
      .set({ branch, commit_id: commit })
      .where('id', '=', turnId)
      .where(mayPublish)
      .returning('id')
      .executeTakeFirst()
    return recorded !== undefined
  }

  /** Checked before each further write to the code host, like in `recordCommit`. */
  async mayPublish(turnId: Id<'trn'>): Promise<boolean> {
    const turn = await this.#db
      .selectFrom('turn')
      .select('id')
      .where('id', '=', turnId)
      .where(mayPublish)
      .executeTakeFirst()
    return turn !== undefined
  }

  async recordRefusal(turnId: Id<'trn'>, refusal: string): Promise<void> {
    await this.#db.updateTable('turn').set({ refusal }).where('id', '=', turnId).execute()
  }

  /**
   * `cancelled` has an effect only if a stop was requested: a late cancellation must not end another turn. If a running turn with
   * a requested stop fails for any other reason, it counts as cancelled. Without effect if there is no such turn: PostgreSQL may have
   * lost it in a failover, and Temporal has not.
   */
  async fail(turnId: Id<'trn'>, failure: TurnFailure): Promise<void> {
    const turn = await this.#db.selectFrom('turn').select('id').where('id', '=', turnId).executeTakeFirst()
    if (!turn) return
    await this.#end(turnId, 'fail', (state) => {
      const isStopped = state.pendingStop !== null && findCurrentTurn(state)?.status === 'running'
      const cancelled = isStopped || failure.code === 'cancelled'
      if (cancelled && !state.pendingStop) return undefined
      const error = cancelled ? null : failure
      return { outcome: cancelled ? 'cancelled' : 'error', error, reply: null, title: null, jobColumns: {} }
    })
  }

  async #end(
    turnId: Id<'trn'>,
    type: 'finish' | 'fail',
    /** Returns undefined if the turn does not end. */
    decide: (state: JobState) => EndedTurn | undefined,
  ): Promise<void> {
    const counted = await this.#withLockedTurn(turnId, async (tx, locked, turn) => {
      const event: JobTransitionEvent = { type, turn }
      const transitioned = applyEvent(locked.state, event)
      if ('rejected' in transitioned) return undefined // the turn has ended already, and only the response was lost
      const ended = decide(locked.state)
      if (!ended) return undefined
      const { at } = locked
      // Otherwise an attempt whose runner died would count as running, and use up a slot of its project forever.
      await tx
        .updateTable('turn_attempt')
        .set({ ended_at: at })
        .where('turn_id', '=', turnId)
        .where('ended_at', 'is', null)
        .execute()
      const next = await transitionJob(tx, locked, event)
      const { refusal } = await tx
        .selectFrom('turn')
        .select('refusal')
        .where('id', '=', turnId)
        .executeTakeFirstOrThrow()
      const messages = ended.error && [ended.error.message, ended.error.code === 'result_refused' ? refusal : null]
      const error = {
        error_code: ended.error?.code ?? null,
        error_message: messages?.filter((message) => message !== null).join(' ') ?? null,
      }
      await tx
        .updateTable('turn')
        .set({ outcome: ended.outcome, reply: ended.reply, ...error })
        .where('id', '=', turnId)
        .execute()
      if (type === 'finish') await deleteSupersededChunks(tx, { jobId: locked.jobId, turnId, number: turn })
      if (ended.held) await insertHeldResult(tx, turnId, ended.held, at)
      if (ended.title !== null) await addTitleToSearch(tx, locked, ended.title)
      await tx
        .updateTable('job')
        .set({
          updated_at: at,
          ...(next.status !== 'active' && { outcome: ended.outcome, ...error }),
          ...(ended.reply !== null && { reply: ended.reply }),
          ...(ended.title !== null && { title: sql<string>`coalesce(title, ${ended.title})` }),
          ...ended.jobColumns,
        })
        .where('project_id', '=', locked.projectId)
        .where('id', '=', locked.jobId)
        .execute()
      return { result: toMetricResult(ended), projectId: locked.projectId }
    })
    if (counted) countMetric('colophon_turns_ended_total', { result: counted.result }, { projectId: counted.projectId })
  }

  async #withLockedJob<Result>(
    jobId: Id<'job'>,
    work: (tx: DatabaseTransaction, locked: LockedJob) => Promise<Result>,
  ): Promise<Result> {
    return this.#db.transaction().execute(async (tx) => {
      const job = await tx.selectFrom('job').select('project_id').where('id', '=', jobId).executeTakeFirst()
      if (!job) throw new TurnTransitionRejectedError('not_current_turn')
      return work(tx, await lockJob(tx, job.project_id, jobId))
    })
  }

  async #withLockedTurn<Result>(
    turnId: Id<'trn'>,
    work: (tx: DatabaseTransaction, locked: LockedJob, number: number) => Promise<Result>,
  ): Promise<Result> {
    const turn = await this.#db
      .selectFrom('turn')
      .select(['job_id', 'number'])
      .where('id', '=', turnId)
      .executeTakeFirst()
    if (!turn) throw new TurnTransitionRejectedError('not_current_turn')
    return this.#withLockedJob(turn.job_id, (tx, locked) => work(tx, locked, turn.number))
  }

  /**
   * Active jobs in which nothing has happened for a while. Claiming them updates `progressed_at`, so that only one replica wakes
   * each. Not those that are supposed to wait: for a runner, for the agent, or in a paused project, except for a requested stop.
   */
  async claimStalledJobs(limits: StallLimits, limit: number): Promise<StalledJob[]> {
    const { rows } = await sql<{ id: Id<'job'>; pending_stop: string | null; needs_restart: boolean }>`
      WITH stalled AS (
        SELECT id, stalled_wakes + 1 >= ${maxStalledWakes} AND NOT EXISTS (
          SELECT FROM turn WHERE turn.project_id = job.project_id AND turn.job_id = job.id AND turn.status = 'publishing'
            AND turn.publishing_started_at > clock_timestamp()
              - make_interval(secs => ${limits.publishTimeoutSeconds + publishTimeoutMarginSeconds})
        ) AS needs_restart
        FROM job
        WHERE status = 'active' AND progressed_at < clock_timestamp() - make_interval(secs => ${limits.stallSeconds})
          AND (pending_stop IS NOT NULL OR NOT (${isPaused} OR ${hasLiveAttempt(limits.heartbeatTimeoutSeconds)}))
        ORDER BY progressed_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
      )
      UPDATE job SET progressed_at = clock_timestamp(),
        stalled_wakes = CASE WHEN needs_restart THEN 0 ELSE stalled_wakes + 1 END
      FROM stalled WHERE job.id = stalled.id
      RETURNING job.id, pending_stop, needs_restart`.execute(this.#db)
    return rows.map(({ id, pending_stop, needs_restart }) => ({
      id,
      stopRequested: pending_stop !== null,
      needsRestart: needs_restart,
    }))
  }

  /** Archives ended jobs that have not changed for this many days. */
  async archiveIdle(days: number, limit: number): Promise<number> {
    const idle = await this.#db
      .selectFrom('job')
      .select('id')
      .where('status', 'in', ['completed', 'failed'])
      .where('updated_at', '<', sql<Date>`now() - make_interval(days => ${days})`)
      .limit(limit)
      .execute()
    for (const { id } of idle) {
      await this.#withLockedJob(id, async (tx, locked) => {
        if (locked.state.status !== 'active') await transitionJob(tx, locked, { type: 'archive' })
      })
    }
    return idle.length
  }
}

const mayPublish = sql<boolean>`turn.status = 'publishing'
  AND NOT EXISTS (SELECT FROM project WHERE project.id = turn.project_id AND project.paused_at IS NOT NULL)`

const isPaused = sql`EXISTS (SELECT FROM project WHERE project.id = job.project_id AND project.paused_at IS NOT NULL)`

/**
 * A queued attempt, or one whose runner has been heard recently. While processes of 0.1.0 may run, only Temporal knows that, and a turn
 * that has not reached its deadline is not stalled.
 */
const hasLiveAttempt = (heartbeatTimeoutSeconds: number) => sql`EXISTS (
  SELECT FROM turn JOIN turn_attempt ON turn_attempt.turn_id = turn.id
  WHERE turn.project_id = job.project_id AND turn.job_id = job.id AND turn.status = 'running' AND turn_attempt.ended_at IS NULL
    AND (turn_attempt.claimed_at IS NULL
      OR turn_attempt.heard_at > clock_timestamp() - make_interval(secs => ${heartbeatTimeoutSeconds})
      OR (turn_attempt.heard_at IS NULL OR ${olderVersionMayRun}) AND turn.deadline_at > clock_timestamp()))`

/**
 * Until publishing begins again, the turn can be cancelled, unless a commit may have been pushed: a cancelled turn would leave its
 * branch, or a pull request whose response was lost, behind.
 */
async function pausePublishing(
  tx: DatabaseTransaction,
  locked: LockedJob,
  { id, number }: { id: Id<'trn'>; number: number },
): Promise<void> {
  const { commit_id } = await tx.selectFrom('turn').select('commit_id').where('id', '=', id).executeTakeFirstOrThrow()
  await transitionJob(tx, locked, { type: commit_id === null ? 'pause' : 'publish', turn: number })
}

async function isProjectPaused(db: Database, projectId: Id<'prj'>): Promise<boolean> {
  const project = await db
    .selectFrom('project')
    .select('paused_at')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow()
  return project.paused_at !== null
}

/** With the hosts of earlier turns, each once. */
const mergeHosts = (hosts: readonly string[]) =>
  sql<string[]>`ARRAY(SELECT DISTINCT host FROM unnest(new_hosts || ${hosts}::text[]) AS host ORDER BY host)`
