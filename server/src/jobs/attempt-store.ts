/**
 * Attempts at turns: queued by the worker, claimed by one runner, reported with the token of the attempt. A newer attempt
 * invalidates the older ones, so that a runner that was considered dead cannot overwrite the work of its replacement.
 */
import { sql } from 'kysely'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import type { Id } from '../platform/ids.ts'
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
}

/** Whether the turn needs another attempt. */
export type EnqueueResult =
  | { kind: 'has_result' }
  | { kind: 'queued'; number: number }
  | { kind: 'failed'; code: 'deadline_exceeded' | 'agent_failed' | 'no_runner_available' | 'cancelled' }

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
}

export class AttemptStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Queues an attempt, unless the turn has a result already or must fail. */
  async enqueue(turnId: Id<'trn'>, taskToken: Uint8Array, limits: TurnLimits): Promise<EnqueueResult> {
    return this.#db.transaction().execute(async (tx) => {
      // Attempts are locked before their turn everywhere, because a claim finds the attempt first.
      await tx
        .selectFrom('turn_attempt')
        .select('number')
        .where('turn_id', '=', turnId)
        .where('ended_at', 'is', null)
        .forUpdate()
        .execute()
      const turn = await tx
        .selectFrom('turn')
        .innerJoin('job', 'job.id', 'turn.job_id')
        .innerJoin('project', 'project.id', 'turn.project_id')
        .select(['turn.project_id', 'turn.started_at', 'turn.deadline_at', 'turn.agent_failures', 'job.pending_stop'])
        .select(['project.paused_at', 'project.resumed_at'])
        .where('turn.id', '=', turnId)
        .forNoKeyUpdate('turn')
        .executeTakeFirstOrThrow()
      const result = await tx
        .selectFrom('turn_result')
        .select('turn_id')
        .where('turn_id', '=', turnId)
        .executeTakeFirst()
      if (result) return { kind: 'has_result' }
      const now = await databaseTime(tx)
      if (turn.pending_stop) return { kind: 'failed', code: 'cancelled' }
      if (turn.agent_failures >= limits.maxAgentFailures) return { kind: 'failed', code: 'agent_failed' }
      // Time in which the project is paused does not count for its turns.
      if (!turn.paused_at && turn.deadline_at && turn.deadline_at <= now)
        return { kind: 'failed', code: 'deadline_exceeded' }
      const waitingSinceMs = Math.max(Number(turn.started_at ?? now), Number(turn.resumed_at))
      const waitedSeconds = (now.getTime() - waitingSinceMs) / 1000
      if (!turn.paused_at && !turn.deadline_at && waitedSeconds > limits.queueTimeoutSeconds)
        return { kind: 'failed', code: 'no_runner_available' }
      await tx
        .updateTable('turn_attempt')
        .set({ ended_at: now })
        .where('turn_id', '=', turnId)
        .where('ended_at', 'is', null)
        .execute()
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
          task_token: Buffer.from(taskToken),
          token_hash: null,
          runner_id: null,
          claimed_at: null,
          ended_at: null,
        })
        .execute()
      return { kind: 'queued', number }
    })
  }

  /**
   * Gives the runner the oldest queued attempt of the least recently served project, so that one busy project does not starve the
   * others. Projects that are paused or at their concurrency limit are skipped.
   */
  async claim(
    runner: { id: Id<'run'>; projectIds: readonly Id<'prj'>[] | null },
    tokenHash: Buffer,
    { deadlineSeconds, maxConcurrentPerProject }: { deadlineSeconds: number; maxConcurrentPerProject: number },
  ): Promise<ClaimedAttempt | undefined> {
    const claimed = await this.#db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ turn_id: Id<'trn'>; number: number; task_token: Buffer; project_id: Id<'prj'> }>`
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
        SELECT attempt.turn_id, attempt.number, attempt.task_token, project_id
        FROM turn_attempt AS attempt JOIN served USING (project_id)
        WHERE attempt.claimed_at IS NULL AND attempt.ended_at IS NULL AND served.running < ${maxConcurrentPerProject}
          AND NOT EXISTS (SELECT FROM project WHERE project.id = attempt.project_id AND project.paused_at IS NOT NULL)
          AND EXISTS (SELECT FROM runner WHERE runner.id = ${runner.id} AND runner.revoked_at IS NULL)
        ORDER BY served.last_served NULLS FIRST, attempt.queued_at
        LIMIT 1 FOR UPDATE OF attempt SKIP LOCKED`.execute(tx)
      const [queued] = rows
      if (!queued || !(await hasCapacity(tx, queued.project_id, maxConcurrentPerProject))) return undefined
      const now = await databaseTime(tx)
      await tx
        .updateTable('turn_attempt')
        .set({ claimed_at: now, runner_id: runner.id, token_hash: tokenHash })
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
    return {
      projectId: claimed.project_id,
      turnId: claimed.turn_id,
      taskToken: claimed.task_token,
      prompt: claimed.prompt,
      failedCheck: claimed.failed_check,
      model: claimed.model,
      deadlineAt: claimed.deadline_at ?? claimed.claimedAt,
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

  /** Undefined: the token is unknown, a newer attempt has replaced this one, or its runner was revoked. */
  async findLive(tokenHash: Buffer): Promise<LiveAttempt | undefined> {
    const row = await this.#db
      .selectFrom('turn_attempt')
      .innerJoin('turn', 'turn.id', 'turn_attempt.turn_id')
      .innerJoin('job', 'job.id', 'turn.job_id')
      .innerJoin('project', 'project.id', 'turn.project_id')
      .innerJoin('runner', 'runner.id', 'turn_attempt.runner_id')
      .select(['turn.project_id', 'turn.job_id', 'turn.id', 'turn.number', 'turn.deadline_at', 'job.pending_stop'])
      .select(['turn_attempt.number as attempt', 'turn_attempt.task_token', 'job.model', 'project.paused_at'])
      .where('turn_attempt.token_hash', '=', tokenHash)
      .where('turn_attempt.ended_at', 'is', null)
      .where('turn.status', '=', 'running')
      .where('runner.revoked_at', 'is', null)
      .executeTakeFirst()
    if (!row) return undefined
    const isLate = row.deadline_at !== null && row.deadline_at <= new Date()
    return {
      projectId: row.project_id,
      jobId: row.job_id,
      turnId: row.id,
      turnNumber: row.number,
      number: row.attempt,
      model: row.model,
      taskToken: row.task_token,
      stop: row.pending_stop ? 'cancelled' : row.paused_at ? 'paused' : isLate ? 'deadline' : null,
    }
  }

  /** Stores the result and ends the attempt in one transaction. False: the attempt has ended already, and nothing is stored. */
  async storeResult(tokenHash: Buffer, result: StoredTurnResult & { session: Buffer | null }): Promise<boolean> {
    return this.#db.transaction().execute(async (tx) => {
      const attempt = await this.#endAttempt(tx, tokenHash)
      if (!attempt) return false
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
      return true
    })
  }

  /** Ends the attempt without a result. A failure of the agent is counted, a release by the runner is not. */
  async endWithoutResult(tokenHash: Buffer, { countsAsFailure }: { countsAsFailure: boolean }): Promise<boolean> {
    return this.#db.transaction().execute(async (tx) => {
      const attempt = await this.#endAttempt(tx, tokenHash)
      if (!attempt) return false
      if (countsAsFailure) {
        await tx
          .updateTable('turn')
          .set({ agent_failures: sql<number>`agent_failures + 1` })
          .where('id', '=', attempt.turn_id)
          .execute()
      }
      return true
    })
  }

  async #endAttempt(tx: DatabaseTransaction, tokenHash: Buffer) {
    return tx
      .updateTable('turn_attempt')
      .set({ ended_at: sql<Date>`clock_timestamp()` })
      .where('token_hash', '=', tokenHash)
      .where('ended_at', 'is', null)
      .returning(['turn_id', 'project_id'])
      .executeTakeFirst()
  }

  readResult(turnId: Id<'trn'>): Promise<StoredTurnResult | undefined> {
    return readTurnResult(this.#db, turnId)
  }

  /** Those of the given attempts that no runner has claimed yet. */
  async filterQueued(taskTokens: readonly Buffer[]): Promise<Buffer[]> {
    if (taskTokens.length === 0) return []
    const rows = await this.#db
      .selectFrom('turn_attempt')
      .select('task_token')
      .where('task_token', 'in', [...taskTokens])
      .where('claimed_at', 'is', null)
      .where('ended_at', 'is', null)
      .execute()
    return rows.map(({ task_token }) => task_token)
  }
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
