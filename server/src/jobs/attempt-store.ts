/**
 * Attempts at turns: queued by the worker, claimed by one runner, reported with the token of the attempt. A newer attempt
 * invalidates the older ones, so that a runner that was considered dead cannot overwrite the work of its replacement.
 */
import { sql } from 'kysely'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import { olderVersionMayRun } from '../database/older-version.ts'
import type { Id } from '../platform/ids.ts'
import { countMetric, observeMetric } from '../platform/metrics/metrics.ts'
import { recordSpan, type Traceparent } from '../platform/tracing/spans.ts'
import type { FailedCheck } from './ci-check.ts'
import { storeResultChunks } from './result-chunks.ts'
import {
  type FailedMessage,
  readFailedMessagesBefore,
  readLastAgentSession,
  readTurnResult,
  readUnpublishedWork,
  type StoredTurnResult,
} from './turn-results.ts'

export interface TurnLimits {
  deadlineSeconds: number
  maxAgentFailures: number
  queueTimeoutSeconds: number
  heartbeatTimeoutSeconds: number
}

/** The execution of the Temporal activity that queues an attempt. A later one of the same turn is greater by time, then by attempt. */
export interface QueueingActivity {
  taskToken: Uint8Array
  scheduledAt: Date
  attempt: number
  heartbeatTimeoutMs: number
  /** Undefined: it is not traced. */
  traceparent: Traceparent | undefined
}

/** Identifies a running runner. Several can share a token. */
export interface ClaimingRunner {
  id: Id<'run'>
  projectIds: readonly Id<'prj'>[] | null
  processId: string
  /** Runners of 0.1.0 cannot merge a branch. */
  canMerge: boolean
}

/** A turn that is lost with its runner this often is probably the reason. */
const maxLostRunners = 3

/** A runner process that waits to be idle renews its reservation with each claim, so an old one is of a process that is gone. */
const reservationSeconds = 60

/** Whether the turn needs another attempt. */
export type EnqueueResult =
  | { kind: 'has_result' }
  | { kind: 'queued'; number: number }
  | { kind: 'ended' }
  /** A later activity has queued an attempt. */
  | { kind: 'superseded' }
  /** A third runner seems to be lost. Ask again after this time: it may only have been unable to send heartbeats. */
  | { kind: 'unconfirmed_loss'; retrySeconds: number }
  | { kind: 'failed'; code: QueueFailureCode | 'agent_failed' | 'runner_lost' | 'cancelled' }

/** Why a queued attempt has to end. */
export type QueueFailureCode = 'deadline_exceeded' | 'no_runner_available'

/** An open attempt that has to end, or that Temporal has to hear of. */
export interface DueAttempt {
  turnId: Id<'trn'>
  number: number
  taskToken: Buffer
  isClaimed: boolean
  failure: QueueFailureCode | 'runner_lost' | null
}

export interface ClaimedAttempt {
  projectId: Id<'prj'>
  turnId: Id<'trn'>
  taskToken: Buffer
  prompt: string
  /** The CI check that the prompt refers to. */
  failedCheck: FailedCheck | null
  /** A model name, or `default`. */
  model: string
  deadlineAt: Date
  /** Until the deadline, by PostgreSQL's clock. */
  secondsLeft: number
  startBranch: string
  /** The agent resolves the conflicts of the pull request with this branch. */
  mergeBranch: string | null
  /** The agent's session at the end of the last completed turn. */
  session: Buffer | null
  failedMessages: readonly FailedMessage[]
  /** The result of the last completed turn if it is not on the code host. The work continues from it. */
  unpublishedWork: { baseCommit: string; bundle: Buffer } | null
}

/** The attempt that a token belongs to, while it is the newest of its turn. */
export interface LiveAttempt {
  projectId: Id<'prj'>
  jobId: Id<'job'>
  turnId: Id<'trn'>
  turnNumber: number
  number: number
  /** A model name, or `default`. */
  model: string
  taskToken: Buffer
  stop: 'cancelled' | 'paused' | 'deadline' | null
  /** Temporal, and not PostgreSQL, decides when the runner is lost, because gateways of 0.1.0 send heartbeats only to Temporal. */
  isWatchedByTemporal: boolean
  /** The trace that the attempt belongs to. Null: none. */
  traceparent: Traceparent | null
}

export class AttemptStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Queues an attempt, unless the turn has a result already or must fail. */
  async enqueue(turnId: Id<'trn'>, activity: QueueingActivity, limits: TurnLimits): Promise<EnqueueResult> {
    return this.#db.transaction().execute(async (tx) => {
      // Attempts are locked before their turn everywhere, because a claim finds the attempt first.
      const open = await tx
        .selectFrom('turn_attempt')
        .select(['number', 'claimed_at', 'heard_at'])
        .where('turn_id', '=', turnId)
        .where('ended_at', 'is', null)
        .forUpdate()
        .execute()
      const turn = await tx
        .selectFrom('turn')
        .innerJoin('job', 'job.id', 'turn.job_id')
        .innerJoin('project', 'project.id', 'turn.project_id')
        .select(['turn.project_id', 'turn.status', 'turn.agent_failures', queueFailure(limits).as('failure')])
        .select(['turn.queued_by_scheduled_at', 'turn.queued_by_attempt', 'job.pending_stop'])
        .where('turn.id', '=', turnId)
        .forNoKeyUpdate('turn')
        .executeTakeFirst()
      if (!turn) return { kind: 'ended' } // PostgreSQL may have lost it in a failover
      const result = await tx
        .selectFrom('turn_result')
        .select('turn_id')
        .where('turn_id', '=', turnId)
        .executeTakeFirst()
      if (result) return { kind: 'has_result' }
      if (turn.status !== 'running') return { kind: 'ended' }
      if (!isLater(activity, turn)) return { kind: 'superseded' }
      const now = await databaseTime(tx)
      await tx
        .updateTable('turn')
        .set({ queued_by_scheduled_at: activity.scheduledAt, queued_by_attempt: activity.attempt })
        .where('id', '=', turnId)
        .execute()
      await endOpenAttempts(tx, turnId, open, now, limits)
      if (turn.pending_stop) return { kind: 'failed', code: 'cancelled' }
      if (turn.agent_failures >= limits.maxAgentFailures) return { kind: 'failed', code: 'agent_failed' }
      const { lost, lastLostAt } = await countLostRunners(tx, turnId)
      if (lost >= maxLostRunners && lastLostAt !== null) {
        const lostForSeconds = (now.getTime() - lastLostAt.getTime()) / 1000
        if (lostForSeconds >= limits.heartbeatTimeoutSeconds) return { kind: 'failed', code: 'runner_lost' }
        return { kind: 'unconfirmed_loss', retrySeconds: limits.heartbeatTimeoutSeconds }
      }
      if (turn.failure) return { kind: 'failed', code: turn.failure }
      const { number } = await tx
        .selectFrom('turn_attempt')
        .select(sql<number>`coalesce(max(number), 0) + 1`.as('number'))
        .where('turn_id', '=', turnId)
        .executeTakeFirstOrThrow()
      await tx
        .insertInto('turn_attempt')
        .values({
          project_id: turn.project_id,
          turn_id: turnId,
          number,
          task_token: Buffer.from(activity.taskToken),
          temporal_heartbeat_seconds: activity.heartbeatTimeoutMs / 1000 / 3,
          temporal_heard_at: now,
          token_hash: null,
          runner_id: null,
          claimed_at: null,
          ended_at: null,
          traceparent: activity.traceparent ?? null,
        })
        .execute()
      return { kind: 'queued', number }
    })
  }

  /**
   * Gives the runner the oldest queued attempt of the least recently served project, so that one busy project does not starve the
   * others. Projects that are paused or at their concurrency limit are skipped. A turn that was lost with a runner gets a process
   * that does nothing else: a busy one claims no other turns until it is idle.
   */
  async claim(
    runner: ClaimingRunner,
    tokenHash: Buffer,
    { deadlineSeconds, maxConcurrentPerProject }: { deadlineSeconds: number; maxConcurrentPerProject: number },
  ): Promise<ClaimedAttempt | undefined> {
    const claimed = await this.#db.transaction().execute(async (tx) => {
      const { rows } = await sql<QueuedAttempt>`
        WITH waiting AS (
          SELECT project_id, min(queued_at) AS since FROM turn_attempt
          WHERE claimed_at IS NULL AND ended_at IS NULL
            AND (${runner.projectIds}::text[] IS NULL OR project_id = ANY (${runner.projectIds}::text[]))
          GROUP BY project_id
        ), served AS (
          SELECT waiting.project_id, waiting.since,
            (SELECT count(*) FROM turn_attempt AS a WHERE a.project_id = waiting.project_id AND a.claimed_at IS NOT NULL AND a.ended_at IS NULL) AS running,
            (SELECT max(claimed_at) FROM turn_attempt AS a WHERE a.project_id = waiting.project_id) AS last_served
          FROM waiting
        )
        SELECT attempt.turn_id, attempt.number, attempt.task_token, attempt.project_id, attempt.queued_at, attempt.traceparent, ${wasLost('attempt')} AS needs_idle_runner
        FROM turn_attempt AS attempt JOIN served USING (project_id) JOIN turn ON turn.id = attempt.turn_id
        WHERE attempt.claimed_at IS NULL AND attempt.ended_at IS NULL AND served.running < ${maxConcurrentPerProject}
          AND turn.status = 'running' AND (${runner.canMerge} OR NOT turn.resolves_conflicts)
          AND (NOT ${wasLost('attempt')} OR NOT ${isReservedForAnother(runner.processId)} OR NOT ${isBusy(runner.processId)})
          AND NOT EXISTS (
            SELECT FROM turn_attempt AS mine
            WHERE mine.runner_process = ${runner.processId} AND mine.claimed_at IS NOT NULL AND mine.ended_at IS NULL
              AND ${wasLost('mine')})
          AND NOT EXISTS (SELECT FROM project WHERE project.id = attempt.project_id AND project.paused_at IS NOT NULL)
          AND EXISTS (SELECT FROM runner WHERE runner.id = ${runner.id} AND runner.revoked_at IS NULL)
        ORDER BY attempt.reserved_for = ${runner.processId} DESC NULLS LAST, served.last_served NULLS FIRST, attempt.queued_at
        LIMIT 1 FOR UPDATE OF attempt SKIP LOCKED`.execute(tx)
      const [queued] = rows
      if (!queued || !(await hasCapacity(tx, queued.project_id, maxConcurrentPerProject))) return undefined
      if (!(await isProcessSuitable(tx, runner.processId, queued))) return undefined
      const now = await databaseTime(tx)
      await tx
        .updateTable('turn_attempt')
        .set({
          claimed_at: now,
          heard_at: now,
          runner_id: runner.id,
          runner_process: runner.processId,
          token_hash: tokenHash,
        })
        .where('turn_id', '=', queued.turn_id)
        .where('number', '=', queued.number)
        .execute()
      const turn = await tx
        .updateTable('turn')
        .from('job')
        .set({
          deadline_at: sql<Date>`coalesce(turn.deadline_at, ${new Date(now.getTime() + deadlineSeconds * 1000)})`,
          start_branch: sql<string>`CASE WHEN job.pull_request_state = 'open' THEN job.pull_request_branch ELSE job.ref END`,
        })
        .whereRef('job.id', '=', 'turn.job_id')
        .where('turn.id', '=', queued.turn_id)
        .returning(['turn.project_id', 'turn.job_id', 'turn.number', 'turn.prompt', 'turn.failed_check'])
        .returning(['turn.deadline_at', 'turn.start_branch', 'turn.restarted', 'turn.resolves_conflicts'])
        .returning(['job.model', 'job.ref', 'job.publish'])
        .executeTakeFirstOrThrow()
      return { ...queued, ...turn, claimedAt: now }
    })
    if (!claimed) return undefined
    const waitedSeconds = (claimed.claimedAt.getTime() - claimed.queued_at.getTime()) / 1000
    observeMetric('colophon_attempt_queue_wait_seconds', {}, waitedSeconds)
    recordSpan('wait for a runner', {
      parent: claimed.traceparent,
      startedAt: claimed.queued_at,
      endedAt: claimed.claimedAt,
      attributes: describeAttempt(claimed),
    })
    const deadlineAt = claimed.deadline_at ?? claimed.claimedAt
    return {
      projectId: claimed.project_id,
      turnId: claimed.turn_id,
      taskToken: claimed.task_token,
      prompt: claimed.prompt,
      failedCheck: claimed.failed_check,
      model: claimed.model,
      deadlineAt,
      secondsLeft: (deadlineAt.getTime() - claimed.claimedAt.getTime()) / 1000,
      startBranch: claimed.start_branch ?? claimed.ref,
      mergeBranch: claimed.resolves_conflicts && claimed.start_branch !== claimed.ref ? claimed.ref : null,
      // Read after the commit: ended turns do not change, and reading megabytes must not hold the lock.
      session: await readLastAgentSession(this.#db, claimed.job_id),
      failedMessages: await readFailedMessagesBefore(this.#db, claimed.job_id, claimed.number),
      // Of a restarted turn: the base of the earlier work is gone from the code host. A merge starts from the branches as they are.
      unpublishedWork:
        claimed.restarted || claimed.resolves_conflicts
          ? null
          : await readUnpublishedWork(this.#db, claimed.job_id, claimed.publish),
    }
  }

  /** By project. Some may not be claimable yet, because their project is paused or at its concurrency limit. */
  async countQueued(): Promise<{ projectId: Id<'prj'>; attempts: number }[]> {
    return await this.#db
      .selectFrom('turn_attempt')
      .select(['project_id as projectId', sql<number>`count(*)::int`.as('attempts')])
      .where('claimed_at', 'is', null)
      .where('ended_at', 'is', null)
      .groupBy('project_id')
      .execute()
  }

  /** Undefined: the token is unknown, a newer attempt has replaced this one, or its runner was revoked. */
  async findLive(tokenHash: Buffer): Promise<LiveAttempt | undefined> {
    const row = await this.#db
      .selectFrom('turn_attempt')
      .innerJoin('turn', 'turn.id', 'turn_attempt.turn_id')
      .innerJoin('job', 'job.id', 'turn.job_id')
      .innerJoin('project', 'project.id', 'turn.project_id')
      .innerJoin('runner', 'runner.id', 'turn_attempt.runner_id')
      .select(['turn.project_id', 'turn.job_id', 'turn.id', 'turn.number', 'job.pending_stop'])
      .select(sql<boolean>`coalesce(turn.deadline_at <= clock_timestamp(), false)`.as('is_late'))
      .select(['turn_attempt.number as attempt', 'turn_attempt.task_token', 'turn_attempt.traceparent', 'job.model'])
      .select(['project.paused_at', 'project.deleted_at', olderVersionMayRun.as('is_watched_by_temporal')])
      .where('turn_attempt.token_hash', '=', tokenHash)
      .where('turn_attempt.ended_at', 'is', null)
      .where('turn.status', '=', 'running')
      .where('runner.revoked_at', 'is', null)
      .executeTakeFirst()
    if (!row) return undefined
    return {
      projectId: row.project_id,
      jobId: row.job_id,
      turnId: row.id,
      turnNumber: row.number,
      number: row.attempt,
      model: row.model,
      taskToken: row.task_token,
      isWatchedByTemporal: row.is_watched_by_temporal,
      traceparent: row.traceparent,
      stop:
        row.pending_stop || row.deleted_at ? 'cancelled' : row.paused_at ? 'paused' : row.is_late ? 'deadline' : null,
    }
  }

  /** Stores the result and ends the attempt in one transaction. False: the attempt has ended already, and nothing is stored. */
  async storeResult(tokenHash: Buffer, result: StoredTurnResult & { session: Buffer | null }): Promise<boolean> {
    return this.#endAttempt(tokenHash, 'result', async (tx, attempt) => {
      const { bundle, session } = result
      const stored = await tx
        .insertInto('turn_result')
        .values({
          turn_id: attempt.turn_id,
          project_id: attempt.project_id,
          base_commit: result.baseCommit,
          // Of a turn that was not asked to merge, it means nothing.
          merged_commit: sql<string | null>`(SELECT ${result.mergedCommit}::text FROM turn
            WHERE id = ${attempt.turn_id} AND resolves_conflicts)`,
          bundle_bytes: bundle?.length ?? null,
          session_bytes: session?.length ?? null,
          title: result.title,
          summary: result.summary,
          reply: result.reply,
          checks: JSON.stringify(result.checks),
        })
        .onConflict((conflict) => conflict.column('turn_id').doNothing())
        .returning('turn_id')
        .executeTakeFirst()
      if (stored && bundle) await storeResultChunks(tx, attempt.turn_id, 'bundle', bundle)
      if (stored && session) await storeResultChunks(tx, attempt.turn_id, 'session', session)
    })
  }

  /** Ends the attempt without a result. A failure of the agent is counted, a release by the runner is not. */
  async endWithoutResult(tokenHash: Buffer, { countsAsFailure }: { countsAsFailure: boolean }): Promise<boolean> {
    return this.#endAttempt(tokenHash, countsAsFailure ? 'agent_failed' : 'released', async (tx, attempt) => {
      if (countsAsFailure) {
        await tx
          .updateTable('turn')
          .set({ agent_failures: sql<number>`agent_failures + 1` })
          .where('id', '=', attempt.turn_id)
          .execute()
      }
    })
  }

  /** Ends the attempt, and does `record` in the same transaction. False: it has ended already. */
  async #endAttempt(
    tokenHash: Buffer,
    result: 'result' | 'agent_failed' | 'released',
    record: (tx: DatabaseTransaction, attempt: EndedAttempt) => Promise<void>,
  ): Promise<boolean> {
    const ended = await this.#db.transaction().execute(async (tx) => {
      const attempt = await tx
        .updateTable('turn_attempt')
        .set({ ended_at: sql<Date>`clock_timestamp()` })
        .where('token_hash', '=', tokenHash)
        .where('ended_at', 'is', null)
        .returning(['turn_id', 'project_id', 'number', 'claimed_at', 'ended_at', 'traceparent'])
        .executeTakeFirst()
      if (attempt) await record(tx, attempt)
      return attempt
    })
    if (!ended) return false
    const { claimed_at: startedAt, ended_at: endedAt, traceparent: parent } = ended
    const attributes = { ...describeAttempt(ended), 'colophon.attempt.result': result }
    if (startedAt && endedAt) recordSpan('attempt', { parent, startedAt, endedAt, attributes })
    return true
  }

  /** Records that the runner of the attempt is alive, at most once per interval. */
  async recordHeartbeat({ turnId, number }: LiveAttempt, intervalSeconds: number): Promise<void> {
    await this.#db
      .updateTable('turn_attempt')
      .set({ heard_at: sql<Date>`clock_timestamp()` })
      .where('turn_id', '=', turnId)
      .where('number', '=', number)
      .where('ended_at', 'is', null)
      .where(
        sql<boolean>`coalesce(heard_at, '-infinity') < clock_timestamp() - make_interval(secs => ${intervalSeconds})`,
      )
      .execute()
  }

  /** The runner process is alive, so that the turns that it lost are not the reason. */
  async recordRunnerAlive(processId: string): Promise<void> {
    await this.#db
      .updateTable('turn_attempt')
      .set({ lost_at: null })
      .where('runner_process', '=', processId)
      .where('lost_at', 'is not', null)
      .execute()
  }

  /** Ends attempts of turns that have ended. They would use up the slots of their project forever. */
  async endOrphans(limit: number): Promise<number> {
    const { rows } = await sql`
      UPDATE turn_attempt SET ended_at = clock_timestamp()
      WHERE (turn_id, number) IN (
        SELECT attempt.turn_id, attempt.number FROM turn_attempt AS attempt JOIN turn ON turn.id = attempt.turn_id
        WHERE attempt.ended_at IS NULL AND turn.status <> 'running' LIMIT ${limit})
      RETURNING number`.execute(this.#db)
    return rows.length
  }

  readResult(turnId: Id<'trn'>): Promise<StoredTurnResult | undefined> {
    return readTurnResult(this.#db, turnId)
  }

  /**
   * Open attempts that have to end, and those that Temporal has not heard of for a while. Another worker gets the latter only when
   * they are due again. Not attempts with a runner while processes of 0.1.0 may run: a gateway of theirs may be what hears the runner, and
   * that only Temporal knows.
   */
  async claimDue(limits: TurnLimits, limit: number): Promise<DueAttempt[]> {
    const { heartbeatTimeoutSeconds } = limits
    const { rows } = await sql<DueAttempt>`
      WITH open_attempt AS (
        SELECT attempt.turn_id, attempt.number, attempt.claimed_at IS NULL AND job.pending_stop IS NOT NULL AS is_stopping,
          coalesce(attempt.temporal_heard_at, '-infinity') AS temporal_heard_at,
          make_interval(secs => coalesce(attempt.temporal_heartbeat_seconds, ${heartbeatTimeoutSeconds / 3})) AS temporal_interval,
          CASE WHEN attempt.claimed_at IS NULL THEN ${queueFailure(limits)}
            WHEN attempt.heard_at < clock_timestamp() - make_interval(secs => ${heartbeatTimeoutSeconds}) THEN 'runner_lost'
          END AS failure
        FROM turn_attempt AS attempt JOIN turn ON turn.id = attempt.turn_id
          JOIN job ON job.id = turn.job_id JOIN project ON project.id = attempt.project_id
        WHERE attempt.ended_at IS NULL AND turn.status = 'running'
          AND (attempt.claimed_at IS NULL OR attempt.heard_at IS NOT NULL AND NOT ${olderVersionMayRun})
      ), due AS (
        SELECT turn_id, number, failure FROM open_attempt
        WHERE is_stopping OR failure IS NOT NULL OR temporal_heard_at < clock_timestamp() - temporal_interval
        ORDER BY temporal_heard_at LIMIT ${limit}
      ), locked AS (
        SELECT attempt.turn_id, attempt.number, due.failure
        FROM due JOIN turn_attempt AS attempt USING (turn_id, number) FOR UPDATE OF attempt SKIP LOCKED
      )
      UPDATE turn_attempt SET temporal_heard_at = clock_timestamp() FROM locked
      WHERE turn_attempt.turn_id = locked.turn_id AND turn_attempt.number = locked.number AND turn_attempt.ended_at IS NULL
      RETURNING turn_attempt.turn_id AS "turnId", turn_attempt.number, turn_attempt.task_token AS "taskToken",
        turn_attempt.claimed_at IS NOT NULL AS "isClaimed", locked.failure`.execute(this.#db)
    return rows
  }

  /** False: a runner has claimed the attempt, or it has ended. */
  async endQueued({ turnId, number }: DueAttempt): Promise<boolean> {
    const ended = await this.#db
      .updateTable('turn_attempt')
      .set({ ended_at: sql<Date>`clock_timestamp()` })
      .where('turn_id', '=', turnId)
      .where('number', '=', number)
      .where('claimed_at', 'is', null)
      .where('ended_at', 'is', null)
      .returning('number')
      .executeTakeFirst()
    return ended !== undefined
  }

  /** Temporal has given up the activity that queued the attempt, so its result would be ignored. */
  async endAbandoned({ turnId, number }: DueAttempt): Promise<void> {
    await this.#db
      .updateTable('turn_attempt')
      .set({ ended_at: sql<Date>`clock_timestamp()` })
      .where('turn_id', '=', turnId)
      .where('number', '=', number)
      .where('ended_at', 'is', null)
      .execute()
  }
}

interface EndedAttempt {
  turn_id: Id<'trn'>
  project_id: Id<'prj'>
}

const describeAttempt = ({ turn_id, project_id, number }: EndedAttempt & { number: number }) => ({
  'colophon.project_id': project_id,
  'colophon.turn_id': turn_id,
  'colophon.attempt': number,
})

interface QueuedAttempt {
  turn_id: Id<'trn'>
  number: number
  task_token: Buffer
  project_id: Id<'prj'>
  queued_at: Date
  traceparent: Traceparent | null
  /** A runner was lost with the turn before. */
  needs_idle_runner: boolean
}

const isLater = (
  { scheduledAt, attempt }: QueueingActivity,
  last: { queued_by_scheduled_at: Date | null; queued_by_attempt: number | null },
): boolean => {
  const lastMs = last.queued_by_scheduled_at?.getTime() ?? 0
  return scheduledAt.getTime() > lastMs || (scheduledAt.getTime() === lastMs && attempt > (last.queued_by_attempt ?? 0))
}

/** Of an attempt that is queued now. Time in which the project is paused does not count for its turns. */
const queueFailure = ({ queueTimeoutSeconds }: TurnLimits) => sql<QueueFailureCode | null>`CASE
  WHEN project.paused_at IS NOT NULL THEN NULL
  WHEN turn.deadline_at <= clock_timestamp() THEN 'deadline_exceeded'
  WHEN turn.deadline_at IS NULL AND clock_timestamp() - make_interval(secs => ${queueTimeoutSeconds})
    > greatest(coalesce(turn.started_at, clock_timestamp()), project.resumed_at) THEN 'no_runner_available'
  END`

/** Whether a runner was lost with the turn of an attempt. */
const wasLost = (attempt: 'attempt' | 'mine') => sql`EXISTS (
  SELECT FROM turn_attempt AS earlier WHERE earlier.turn_id = ${sql.ref(attempt)}.turn_id AND earlier.lost_at IS NOT NULL)`

const isBusy = (processId: string) => sql`EXISTS (
  SELECT FROM turn_attempt AS mine
  WHERE mine.runner_process = ${processId} AND mine.claimed_at IS NOT NULL AND mine.ended_at IS NULL)`

const isReservedForAnother = (processId: string) => sql`(attempt.reserved_for IS DISTINCT FROM ${processId}
  AND coalesce(attempt.reserved_at > clock_timestamp() - make_interval(secs => ${reservationSeconds}), false))`

/**
 * Locks the process for claims, because its slots claim concurrently. A turn that needs an idle runner is reserved if this one is
 * busy.
 */
async function isProcessSuitable(tx: DatabaseTransaction, processId: string, queued: QueuedAttempt): Promise<boolean> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${processId}, 1))`.execute(tx)
  const { rows: running } = await sql<{ was_lost: boolean }>`
    SELECT ${wasLost('mine')} AS was_lost FROM turn_attempt AS mine
    WHERE mine.runner_process = ${processId} AND mine.claimed_at IS NOT NULL AND mine.ended_at IS NULL`.execute(tx)
  if (running.length === 0) return true
  if (queued.needs_idle_runner)
    await tx
      .updateTable('turn_attempt')
      .set({ reserved_for: processId, reserved_at: sql<Date>`clock_timestamp()` })
      .where('turn_id', '=', queued.turn_id)
      .where('number', '=', queued.number)
      .execute()
  return !queued.needs_idle_runner && !running.some(({ was_lost }) => was_lost)
}

async function endOpenAttempts(
  tx: DatabaseTransaction,
  turnId: Id<'trn'>,
  open: readonly { number: number; claimed_at: Date | null; heard_at: Date | null }[],
  now: Date,
  { heartbeatTimeoutSeconds }: TurnLimits,
): Promise<void> {
  // A runner that was heard recently is not lost: it was heard again after it was reported, or Temporal missed the heartbeats.
  const silentSinceMs = now.getTime() - (heartbeatTimeoutSeconds * 1000) / 2
  for (const { number, claimed_at, heard_at } of open) {
    const isLost = claimed_at !== null && heard_at !== null && heard_at.getTime() < silentSinceMs
    if (isLost) countMetric('colophon_attempts_lost_total', {})
    await tx
      .updateTable('turn_attempt')
      .set({ ended_at: now, lost_at: isLost ? now : null })
      .where('turn_id', '=', turnId)
      .where('number', '=', number)
      .execute()
  }
}

async function countLostRunners(
  tx: DatabaseTransaction,
  turnId: Id<'trn'>,
): Promise<{ lost: number; lastLostAt: Date | null }> {
  return tx
    .selectFrom('turn_attempt')
    .select([sql<number>`count(lost_at)::int`.as('lost'), sql<Date | null>`max(lost_at)`.as('lastLostAt')])
    .where('turn_id', '=', turnId)
    .executeTakeFirstOrThrow()
}

/** Locks the project for claims: without the lock concurrent claims saw the same count and exceeded the limit together. */
async function hasCapacity(tx: DatabaseTransaction, projectId: Id<'prj'>, maxConcurrent: number): Promise<boolean> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${projectId}, 0))`.execute(tx)
  const { running } = await tx
    .selectFrom('turn_attempt')
    .select(({ fn }) => fn.countAll<string>().as('running'))
    .where('project_id', '=', projectId)
    .where('claimed_at', 'is not', null)
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(running) < maxConcurrent
}

async function databaseTime(tx: DatabaseTransaction): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`SELECT clock_timestamp() AS at`.execute(tx)
  const [row] = rows
  if (!row) throw new Error('PostgreSQL returned no time')
  return row.at
}
