/** State of the pull requests that jobs opened. They are polled periodically, and soon after a webhook. */
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Id } from '../platform/ids.ts'
import type { CheckLogs, CiCheck, ObservedChecks } from './ci-check.ts'
import type { PullRequestState } from './job-outcome.ts'

export interface JobPullRequest {
  projectId: Id<'prj'>
  jobId: Id<'job'>
  number: number
}

export interface OpenedPullRequest extends JobPullRequest {
  url: string
  branch: string
}

export interface DuePullRequest extends OpenedPullRequest {
  /** Comments since this time have not been read. */
  commentsSince: Date
  acceptsMessages: boolean
  /** At the last poll. */
  wasOpen: boolean
  checks: ObservedChecks | null
  checkLogs: CheckLogs
}

/** Every check sends a webhook when it starts and when it ends. This delay combines them into one poll. */
const debounceSeconds = 5

/**
 * A token bucket for polls: in a public repository anyone can comment, and edit a comment again and again. A few requested polls
 * happen at once, further ones at the refill rate. `pull_request_poll_bucket_full_at` is when the bucket will be full again; it
 * has a token while that is at most `secondsFromOneTokenToFull` away.
 */
const secondsPerToken = 15
const maxTokens = 5
const secondsFromOneTokenToFull = secondsPerToken * (maxTokens - 1)

/** Most open pull requests wait for weeks, and with webhooks nothing is missed. Five minutes become 15, then an hour. */
const quietFactor = sql<number>`CASE WHEN updated_at < now() - interval '7 days' THEN 12
  WHEN updated_at < now() - interval '1 day' THEN 3 ELSE 1 END`

const nextPollAfterClosing = sql<Date | null>`CASE WHEN pull_request_poll_at <= now() THEN pull_request_poll_at
  WHEN pull_request_state <> 'closed' OR updated_at > now() - interval '30 days' THEN now() + interval '1 hour' END`

export class PullRequestStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async requestPoll(projectId: Id<'prj'>, number: number): Promise<void> {
    await this.#db
      .updateTable('job')
      .set({ pull_request_poll_at: pollWithin(0), ...restartWatch })
      .where('project_id', '=', projectId)
      .where('pull_request_number', '=', String(number))
      .execute()
  }

  /** Requests a poll of the open pull requests with these branches. */
  async requestBranchPolls(projectId: Id<'prj'>, branches: readonly string[]): Promise<void> {
    if (branches.length === 0) return
    await this.#db
      .updateTable('job')
      .set({
        pull_request_poll_at: pollWithin(debounceSeconds),
        ...restartWatch,
      })
      .where('project_id', '=', projectId)
      .where('pull_request_branch', 'in', [...branches])
      .where('pull_request_state', '=', 'open')
      .execute()
  }

  /**
   * Claims at most one due pull request per project, skipping the projects in `excluded`. Only one replica gets each, and it is
   * due again later even if that replica dies before it polls.
   */
  async claimDue(pollSeconds: number, limit: number, excluded: readonly Id<'prj'>[] = []): Promise<DuePullRequest[]> {
    const rows = await this.#db
      .updateTable('job')
      .set({
        pull_request_poll_at: sql<Date>`now() + make_interval(secs => ${pollSeconds} * ${quietFactor})`,
        pull_request_poll_bucket_full_at: sql<Date>`least(greatest(pull_request_poll_bucket_full_at, now()),
          now() + make_interval(secs => ${secondsFromOneTokenToFull})) + make_interval(secs => ${secondsPerToken})`,
      })
      .where('id', 'in', (query) =>
        query
          .selectFrom('job')
          .select('id')
          .where('id', 'in', (due) =>
            due
              .selectFrom('job')
              .distinctOn('project_id')
              .select('id')
              .where('pull_request_state', 'is not', null)
              .where('pull_request_poll_at', '<=', sql<Date>`now()`)
              .where(sql<boolean>`project_id <> ALL (${excluded}::text[])`)
              .orderBy('project_id')
              .orderBy('pull_request_poll_at'),
          )
          // Checked again, because another replica may have claimed it in between.
          .where('pull_request_poll_at', '<=', sql<Date>`now()`)
          .orderBy('pull_request_poll_at')
          .limit(limit)
          .forUpdate()
          .skipLocked(),
      )
      .returning(['project_id', 'id', 'status', 'created_at', 'pull_request_number', 'pull_request_comments_since'])
      .returning(['pull_request_url', 'pull_request_branch', 'pull_request_state'])
      .returning(['pull_request_checks', 'pull_request_check_logs'])
      .execute()
    return rows.map((row) => ({
      projectId: row.project_id,
      jobId: row.id,
      number: Number(row.pull_request_number),
      url: row.pull_request_url ?? '',
      branch: row.pull_request_branch ?? '',
      commentsSince: row.pull_request_comments_since ?? row.created_at,
      acceptsMessages: row.status !== 'archived',
      wasOpen: row.pull_request_state === 'open',
      checks: row.pull_request_checks,
      checkLogs: row.pull_request_check_logs ?? {},
    }))
  }

  /**
   * Backs off after a rate limit of the code host: no poll for this long, even if one is requested. GitHub counts the requests of an
   * installation together, so this is for all of its projects.
   */
  async backOff({ projectId }: JobPullRequest, seconds: number): Promise<void> {
    const until = sql<Date>`now() + make_interval(secs => ${seconds})`
    await this.#db
      .updateTable('job')
      .set({
        // Not all at the same moment: they would use up the limit again.
        pull_request_poll_at: sql<Date>`greatest(pull_request_poll_at, ${until} + random() * interval '1 minute')`,
        pull_request_poll_bucket_full_at: sql<Date>`${until} + make_interval(secs => ${secondsFromOneTokenToFull})`,
      })
      .where('pull_request_poll_at', 'is not', null)
      .where(
        sql<boolean>`project_id IN (
          SELECT ${projectId} UNION
          SELECT other.project_id FROM repository AS limited
          JOIN repository AS other ON other.base_url = limited.base_url AND other.installation_id = limited.installation_id
          WHERE limited.project_id = ${projectId})`,
      )
      .execute()
  }

  /**
   * A merged pull request is not polled again. A closed one can be reopened: it is polled occasionally for a month, and at once
   * if a poll was requested during this one. While the code host does not know about conflicts yet, the recorded value stays.
   */
  async recordState(
    { jobId, number }: JobPullRequest,
    { state, hasConflicts }: { state: PullRequestState; hasConflicts: boolean | null },
  ): Promise<void> {
    const conflicts = state === 'open' ? sql<boolean | null>`coalesce(${hasConflicts}, pull_request_conflicts)` : null
    await this.#db
      .updateTable('job')
      .set({
        pull_request_state: state,
        pull_request_conflicts: conflicts,
        updated_at: sql<Date>`CASE WHEN (pull_request_state, pull_request_conflicts) IS DISTINCT FROM (${state}, ${conflicts})
          THEN now() ELSE updated_at END`,
        ...(state === 'merged' && { pull_request_poll_at: null }),
        ...(state === 'closed' && { pull_request_poll_at: nextPollAfterClosing }),
      })
      .where('id', '=', jobId)
      .where('pull_request_number', '=', String(number))
      .execute()
  }

  /** Records a pull request that a failed turn has opened, unless the job has got another one. */
  async adopt(
    jobId: Id<'job'>,
    { number, url, branch }: { number: number; url: string; branch: string },
  ): Promise<void> {
    await this.#db
      .updateTable('job')
      .set({
        pull_request_number: number,
        pull_request_url: url,
        pull_request_branch: branch,
        pull_request_state: 'open',
        pull_request_poll_at: sql<Date>`now()`,
        updated_at: sql<Date>`now()`,
        // These describe another pull request, or are not known.
        pull_request_commit: null,
        pull_request_text: null,
        pull_request_conflicts: null,
        pull_request_checks: null,
        pull_request_check_logs: null,
        pull_request_preview_url: null,
        pull_request_comments_since: null,
      })
      .where('id', '=', jobId)
      .where('pull_request_state', 'is distinct from', 'open')
      .execute()
  }

  async recordChecks(
    { jobId, number }: JobPullRequest,
    { commit, checks, logs, previewUrl }: RecordedChecks,
  ): Promise<void> {
    const checksJson = JSON.stringify(checks)
    await this.#db
      .updateTable('job')
      .set({
        // Keeps a `watchedSince` that a webhook has set since the checks were read.
        pull_request_checks: sql`jsonb_build_object('commit', ${commit}::text, 'checks', ${checksJson}::jsonb, 'watchedSince',
          CASE WHEN pull_request_checks->>'commit' = ${commit} THEN pull_request_checks->'watchedSince' ELSE to_jsonb(now()) END)`,
        pull_request_check_logs: JSON.stringify(logs),
        pull_request_preview_url: previewUrl,
        updated_at: sql<Date>`CASE WHEN (pull_request_checks->'checks', pull_request_preview_url)
          IS DISTINCT FROM (${checksJson}::jsonb, ${previewUrl}::text) THEN now() ELSE updated_at END`,
      })
      .where('id', '=', jobId)
      .where('pull_request_number', '=', String(number))
      .execute()
  }

  /** For a comment whose author has no push access. It does not become a message later either, if they get access. */
  async rejectComment(
    { projectId, jobId }: JobPullRequest,
    { id, author, url }: { id: number; author: string; url: string },
  ): Promise<void> {
    await this.#db
      .insertInto('pull_request_comment')
      .values({ project_id: projectId, job_id: jobId, comment_id: id, turn_number: null, author, url })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }

  /** The given comments that became messages or were rejected. */
  async findProcessedComments(
    { projectId, jobId }: JobPullRequest,
    commentIds: readonly number[],
  ): Promise<ReadonlySet<number>> {
    if (commentIds.length === 0) return new Set()
    const rows = await this.#db
      .selectFrom('pull_request_comment')
      .select('comment_id')
      .where('project_id', '=', projectId)
      .where('job_id', '=', jobId)
      .where('comment_id', 'in', commentIds.map(String))
      .execute()
    return new Set(rows.map(({ comment_id }) => Number(comment_id)))
  }

  async recordCommentsRead({ jobId, number }: JobPullRequest, until: Date): Promise<void> {
    await this.#db
      .updateTable('job')
      .set({ pull_request_comments_since: sql<Date>`greatest(pull_request_comments_since, ${until})` })
      .where('id', '=', jobId)
      .where('pull_request_number', '=', String(number))
      .execute()
  }
}

export interface RecordedChecks {
  commit: string
  checks: readonly CiCheck[]
  logs: CheckLogs
  previewUrl: string | null
}

/** Moves the next poll to within this time, as far as the token bucket allows. */
const pollWithin = (withinSeconds: number) =>
  sql<Date>`least(pull_request_poll_at, greatest(now() + make_interval(secs => ${withinSeconds}),
    pull_request_poll_bucket_full_at - make_interval(secs => ${secondsFromOneTokenToFull})))`

const restartWatch = {
  pull_request_checks: sql<string>`pull_request_checks || jsonb_build_object('watchedSince', now())`,
}
