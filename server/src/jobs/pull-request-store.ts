/** What became of the pull requests that jobs opened: asked of the code host now and then, and at once when it hints. */
import { type Kysely, sql } from 'kysely'
import type { Id } from '../platform/ids.ts'
import type { CheckLogs, HostCheck, SeenChecks } from './host-check.ts'
import type { PullRequestState } from './outcome.ts'
import type { JobTables } from './tables.ts'

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
  /** Comments from then on have not been read. */
  commentsSince: Date
  takesMessages: boolean
  /** At the last look. */
  wasOpen: boolean
  seen: SeenChecks | null
  logs: CheckLogs
}

/** Of many checks each tells when it begins and ends: they are looked at together. */
const gatherHintsSeconds = 5

/**
 * Anybody can comment where a repository is public, and edit it over and over: a few hints are followed at once, more of
 * them one in so many seconds. `pull_request_poll_bucket_full_at` is when all looks so far will have been rested from.
 */
const restSeconds = 15
const hintedLooksAtOnce = 5
const tiredSeconds = restSeconds * (hintedLooksAtOnce - 1)

const afterClosing = sql<Date | null>`CASE WHEN pull_request_poll_at <= now() THEN pull_request_poll_at
  WHEN pull_request_state <> 'closed' OR updated_at > now() - interval '30 days' THEN now() + interval '1 hour' END`

export class PullRequestStore {
  readonly #db: Kysely<JobTables>

  constructor(db: Kysely<JobTables>) {
    this.#db = db
  }

  async hint(projectId: Id<'prj'>, number: number): Promise<void> {
    await this.#db
      .updateTable('job')
      .set({ pull_request_poll_at: hinted(0), ...watchAnew })
      .where('project_id', '=', projectId)
      .where('pull_request_number', '=', String(number))
      .execute()
  }

  /** Something about the commits at the heads of these. */
  async hintBranches(projectId: Id<'prj'>, branches: readonly string[]): Promise<void> {
    if (branches.length === 0) return
    await this.#db
      .updateTable('job')
      .set({
        pull_request_poll_at: hinted(gatherHintsSeconds),
        ...watchAnew,
      })
      .where('project_id', '=', projectId)
      .where('pull_request_branch', 'in', [...branches])
      .where('pull_request_state', '=', 'open')
      .execute()
  }

  /**
   * Each is taken by one replica only, and is due again later, whether or not that replica lives to ask. One of each project,
   * besides these.
   */
  async takeDue(askAgainSeconds: number, limit: number, besides: readonly Id<'prj'>[] = []): Promise<DuePullRequest[]> {
    const rows = await this.#db
      .updateTable('job')
      .set({
        pull_request_poll_at: sql<Date>`now() + make_interval(secs => ${askAgainSeconds})`,
        pull_request_poll_bucket_full_at: sql<Date>`least(greatest(pull_request_poll_bucket_full_at, now()),
          now() + make_interval(secs => ${tiredSeconds})) + make_interval(secs => ${restSeconds})`,
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
              .where(sql<boolean>`project_id <> ALL (${besides}::text[])`)
              .orderBy('project_id')
              .orderBy('pull_request_poll_at'),
          )
          // Once more, because another replica may have taken it in between.
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
      takesMessages: row.status !== 'archived',
      wasOpen: row.pull_request_state === 'open',
      seen: row.pull_request_checks,
      logs: row.pull_request_check_logs ?? {},
    }))
  }

  /** The host wants to be left alone for so long, whatever it hints. */
  async rest({ jobId, number }: JobPullRequest, seconds: number): Promise<void> {
    const until = sql<Date>`now() + make_interval(secs => ${seconds})`
    await this.#db
      .updateTable('job')
      .set({
        pull_request_poll_at: sql<Date>`greatest(pull_request_poll_at, ${until})`,
        pull_request_poll_bucket_full_at: sql<Date>`${until} + make_interval(secs => ${tiredSeconds})`,
      })
      .where('id', '=', jobId)
      .where('pull_request_number', '=', String(number))
      .execute()
  }

  /**
   * A merged one is asked for no more. A closed one can be opened again: it is asked for now and then for a month, and at once
   * where a hint came while we looked. A host that does not know of conflicts yet leaves us with what we knew.
   */
  async record(
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
        ...(state === 'closed' && { pull_request_poll_at: afterClosing }),
      })
      .where('id', '=', jobId)
      .where('pull_request_number', '=', String(number))
      .execute()
  }

  async recordChecks(
    { jobId, number }: JobPullRequest,
    { commit, checks, logs, previewUrl }: RecordedChecks,
  ): Promise<void> {
    const told = JSON.stringify(checks)
    await this.#db
      .updateTable('job')
      .set({
        // A hint that came since they were read still counts.
        pull_request_checks: sql`jsonb_build_object('commit', ${commit}::text, 'checks', ${told}::jsonb, 'watchedSince',
          CASE WHEN pull_request_checks->>'commit' = ${commit} THEN pull_request_checks->'watchedSince' ELSE to_jsonb(now()) END)`,
        pull_request_check_logs: JSON.stringify(logs),
        pull_request_preview_url: previewUrl,
        updated_at: sql<Date>`CASE WHEN (pull_request_checks->'checks', pull_request_preview_url)
          IS DISTINCT FROM (${told}::jsonb, ${previewUrl}::text) THEN now() ELSE updated_at END`,
      })
      .where('id', '=', jobId)
      .where('pull_request_number', '=', String(number))
      .execute()
  }

  /** Its author may not write. It is no message then, and none later, when they may. */
  async refuseComment(
    { projectId, jobId }: JobPullRequest,
    { id, author, url }: { id: number; author: string; url: string },
  ): Promise<void> {
    await this.#db
      .insertInto('pull_request_comment')
      .values({ project_id: projectId, job_id: jobId, comment_id: id, turn_number: null, author, url })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }

  /** Those that became messages, or were refused. */
  async knownComments(
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
  checks: readonly HostCheck[]
  logs: CheckLogs
  previewUrl: string | null
}

const hinted = (withinSeconds: number) =>
  sql<Date>`least(pull_request_poll_at, greatest(now() + make_interval(secs => ${withinSeconds}),
    pull_request_poll_bucket_full_at - make_interval(secs => ${tiredSeconds})))`

const watchAnew = { pull_request_checks: sql<string>`pull_request_checks || jsonb_build_object('watchedSince', now())` }
