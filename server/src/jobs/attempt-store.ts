/**
 * Tries at turns: offered by the worker, claimed by one runner, reported by its token. A newer try of the same turn shuts the
 * older ones out, so that a runner that was thought dead cannot write over the one that took its place.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Id } from '../platform/ids.ts'
import type { FailedCheck } from './host-check.ts'
import { storeBytes } from './result-bytes.ts'
import type { JobTables } from './tables.ts'
import { lastBundle, lastSession, type NotDone, notDoneBefore, readResult, type StoredResult } from './turn-results.ts'

export interface AttemptLimits {
  deadlineSeconds: number
  maxAgentFailures: number
  noRunnerSeconds: number
}

/** Whether the turn needs another try. */
export type Offer =
  | { kind: 'has_result' }
  | { kind: 'offered'; number: number }
  | { kind: 'over'; code: 'deadline_exceeded' | 'agent_failed' | 'no_runner_available' | 'cancelled' }

export interface ClaimedAttempt {
  projectId: Id<'prj'>
  turnId: Id<'trn'>
  taskToken: Buffer
  prompt: string
  /** That the prompt is about. */
  failedCheck: FailedCheck | null
  /** Its name, or `default`. */
  model: string
  deadlineAt: Date
  startBranch: string
  /** The conversation as the last turn that was accepted left it. */
  session: Buffer | null
  notDone: readonly NotDone[]
  /** Of the last turn that was accepted, where nothing of it is on the code host: the work goes on from there. */
  earlier: { baseCommit: string; bundle: Buffer } | null
}

/** The try that a token stands for, while it is the turn's newest. */
export interface LiveAttempt {
  projectId: Id<'prj'>
  jobId: Id<'job'>
  turnId: Id<'trn'>
  turnNumber: number
  number: number
  /** Its name, or `default`. */
  model: string
  taskToken: Buffer
  stop: 'cancelled' | 'paused' | 'deadline' | null
}

export class AttemptStore {
  readonly #db: Kysely<JobTables>

  constructor(db: Kysely<JobTables>) {
    this.#db = db
  }

  /** Looks before it offers: a result that is there already, or a turn that is over, needs no runner. */
  async offer(turnId: Id<'trn'>, taskToken: Uint8Array, limits: AttemptLimits): Promise<Offer> {
    return this.#db.transaction().execute(async (tx) => {
      // Tries are locked before their turn everywhere: a claim finds the try first.
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
      const now = await clock(tx)
      if (turn.pending_stop) return { kind: 'over', code: 'cancelled' }
      if (turn.agent_failures >= limits.maxAgentFailures) return { kind: 'over', code: 'agent_failed' }
      // While the project is paused no time passes for its turns.
      if (!turn.paused_at && turn.deadline_at && turn.deadline_at <= now)
        return { kind: 'over', code: 'deadline_exceeded' }
      const waitedSince = Math.max(Number(turn.started_at ?? now), Number(turn.resumed_at))
      const waitedSeconds = (now.getTime() - waitedSince) / 1000
      if (!turn.paused_at && !turn.deadline_at && waitedSeconds > limits.noRunnerSeconds)
        return { kind: 'over', code: 'no_runner_available' }
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
      return { kind: 'offered', number }
    })
  }

  /**
   * Gives the runner the oldest offer of the project that was served longest ago, so that one busy project does not starve the
   * others; a project with enough running turns waits, and so does one that is paused.
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
      const [offered] = rows
      if (!offered || !(await hasRoom(tx, offered.project_id, maxConcurrentPerProject))) return undefined
      const now = await clock(tx)
      await tx
        .updateTable('turn_attempt')
        .set({ claimed_at: now, runner_id: runner.id, token_hash: tokenHash })
        .where('turn_id', '=', offered.turn_id)
        .where('number', '=', offered.number)
        .execute()
      const turn = await tx
        .updateTable('turn')
        .from('job')
        .set({
          deadline_at: sql<Date>`coalesce(turn.deadline_at, ${new Date(now.getTime() + deadlineSeconds * 1000)})`,
          start_branch: sql<string>`CASE WHEN job.pull_request_state = 'open' THEN job.pull_request_branch ELSE job.ref END`,
        })
        .whereRef('job.id', '=', 'turn.job_id')
        .where('turn.id', '=', offered.turn_id)
        .returning(['turn.project_id', 'turn.job_id', 'turn.number', 'turn.prompt', 'turn.failed_check'])
        .returning(['turn.deadline_at', 'turn.start_branch', 'turn.restarted'])
        .returning(['job.model', 'job.ref', 'job.publish'])
        .executeTakeFirstOrThrow()
      return { ...offered, ...turn, claimedAt: now }
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
      // After the commit: what ended stays as it is, and megabytes are read while nobody waits for the lock.
      session: await lastSession(this.#db, claimed.job_id),
      notDone: await notDoneBefore(this.#db, claimed.job_id, claimed.number),
      // Performed again: what it was built on is gone from the code host.
      earlier: claimed.publish === 'diff' && !claimed.restarted ? await lastBundle(this.#db, claimed.job_id) : null,
    }
  }

  /** Undefined: the token is unknown, a newer try has taken this one's place, or its runner was revoked. */
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
    const late = row.deadline_at !== null && row.deadline_at <= new Date()
    return {
      projectId: row.project_id,
      jobId: row.job_id,
      turnId: row.id,
      turnNumber: row.number,
      number: row.attempt,
      model: row.model,
      taskToken: row.task_token,
      stop: row.pending_stop ? 'cancelled' : row.paused_at ? 'paused' : late ? 'deadline' : null,
    }
  }

  /** The result and the end of its try are one transaction. False: this try is no longer the newest, and nothing is stored. */
  async storeResult(tokenHash: Buffer, result: StoredResult & { session: Buffer | null }): Promise<boolean> {
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
      if (stored && bundle) await storeBytes(tx, attempt.turn_id, 'bundle', bundle)
      if (stored && session) await storeBytes(tx, attempt.turn_id, 'session', session)
      return true
    })
  }

  /** The try ended without a result; an engine that failed is counted, a runner that gave the turn back is not. */
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

  async #endAttempt(tx: Transaction<JobTables>, tokenHash: Buffer) {
    return tx
      .updateTable('turn_attempt')
      .set({ ended_at: sql<Date>`clock_timestamp()` })
      .where('token_hash', '=', tokenHash)
      .where('ended_at', 'is', null)
      .returning(['turn_id', 'project_id'])
      .executeTakeFirst()
  }

  readResult(turnId: Id<'trn'>): Promise<StoredResult | undefined> {
    return readResult(this.#db, turnId)
  }

  /** Those of the given offers that still wait for a runner. */
  async stillOffered(taskTokens: readonly Buffer[]): Promise<Buffer[]> {
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

/** Claims of one project take turns from here on: each saw the same count, and together they went past the limit. */
async function hasRoom(tx: Transaction<JobTables>, projectId: Id<'prj'>, maxConcurrent: number): Promise<boolean> {
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

async function clock(tx: Transaction<JobTables>): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`SELECT clock_timestamp() AS at`.execute(tx)
  const [row] = rows
  if (!row) throw new Error('PostgreSQL has no time')
  return row.at
}
