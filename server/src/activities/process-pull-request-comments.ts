/** Turns comments that mention `@colophon` on a job's pull request into messages to the job, each exactly once. */
import type { CodeHost, PullRequestComment } from '../code-hosts/code-host.ts'
import { extractPromptFromComment } from '../jobs/comment-mention.ts'
import type { SignalJob } from '../jobs/job-signaler.ts'
import type { JobStore } from '../jobs/job-store.ts'
import type { DuePullRequest, PullRequestStore } from '../jobs/pull-request-store.ts'
import { CommentAlreadyProcessedError } from '../jobs/work-acceptor.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Log } from '../platform/log.ts'

/** The limit of every prompt. */
const maxCharacters = 50_000

/** A code host may show the later of two comments first, so comments newer than this are read again at the next poll. */
const settledAfterMs = 120_000

export interface ProcessCommentsDeps {
  jobs: Pick<JobStore, 'message'>
  pullRequests: PullRequestStore
  wakeJob: SignalJob
  log: Log
}

/**
 * Progress is recorded however the poll ends. A poll that dies halfway is repeated, and skips the comments that were processed.
 * Returns whether all current comments were read.
 */
export async function processPullRequestComments(
  deps: ProcessCommentsDeps,
  due: DuePullRequest,
  host: CodeHost,
  signal: AbortSignal,
): Promise<boolean> {
  const { pullRequests } = deps
  const listed = await host.listComments(due.number, due.commentsSince)
  // Edited comments are listed as well, but they have been read already: a comment counts once.
  const comments = listed.filter(({ createdAt }) => createdAt >= due.commentsSince)
  const processed = await pullRequests.findProcessedComments(
    due,
    comments.map(({ id }) => id),
  )
  const checkAccess = cacheAccess((author) => host.hasWriteAccess(author))
  const sinceMs = due.commentsSince.getTime()
  let readUntilMs = sinceMs
  let unread: PullRequestComment | undefined
  try {
    for (unread of comments) {
      if (signal.aborted) return false
      if (!processed.has(unread.id) && (await processComment(deps, due, host, unread, checkAccess)) === 'later')
        return false
      readUntilMs = Math.max(readUntilMs, Math.min(unread.createdAt.getTime() + 1, Date.now() - settledAfterMs))
    }
    unread = undefined
    return true
  } finally {
    // Another comment with the same timestamp may have been read.
    const untilMs = Math.min(readUntilMs, unread?.createdAt.getTime() ?? readUntilMs)
    if (untilMs > sinceMs) await pullRequests.recordCommentsRead(due, new Date(untilMs))
  }
}

type CheckAccess = (author: string) => Promise<boolean | 'later'>

/** Per poll. The access of each author is requested once. */
const maxAuthors = 20

function cacheAccess(mayWrite: (author: string) => Promise<boolean>): CheckAccess {
  const cache = new Map<string, boolean>()
  return async (author) => {
    const cached = cache.get(author)
    if (cached !== undefined) return cached
    if (cache.size === maxAuthors) return 'later'
    const hasAccess = await mayWrite(author)
    cache.set(author, hasAccess)
    return hasAccess
  }
}

/**
 * `later`: a limit of this poll, of the job's queue or of the project's rate is reached. The comments after it wait as well, so
 * that the order is kept.
 */
async function processComment(
  { jobs, pullRequests, wakeJob, log }: ProcessCommentsDeps,
  due: DuePullRequest,
  host: CodeHost,
  { id, author, isBot, text, url }: PullRequestComment,
  checkAccess: CheckAccess,
): Promise<'done' | 'later'> {
  const prompt = text.length <= maxCharacters ? extractPromptFromComment(text) : undefined
  if (isBot || prompt === undefined) return 'done'
  const hasAccess = await checkAccess(author)
  if (hasAccess === 'later') return 'later'
  if (!hasAccess) {
    await pullRequests.rejectComment(due, { id, author, url })
    return 'done'
  }
  const { projectId, jobId } = due
  try {
    await jobs.message(
      projectId,
      jobId,
      { prompt, comment: { id, author, url } },
      { actor: { kind: 'code-host' }, idempotency: undefined, present: () => undefined },
    )
  } catch (error) {
    if (error instanceof CommentAlreadyProcessedError) return 'done'
    if (!(error instanceof Problem)) throw error
    log.info({ jobId, comment: url, code: error.code }, 'pull request comment not accepted as a message')
    return error.code === 'queue_full' || error.code === 'rate_limited' ? 'later' : 'done'
  }
  await wakeJob(jobId)
  await host.acknowledgeComment(id).catch((error: unknown) => {
    log.info({ jobId, comment: url, error: String(error) }, 'could not acknowledge pull request comment')
  })
  return 'done'
}
