/** Comments on a job's pull request that speak to us become messages to the job: each once, and none is lost. */
import type { CodeHost, PullRequestComment } from '../code-hosts/code-host.ts'
import { askedInComment } from '../jobs/comment-mention.ts'
import { CommentTaken, type JobStore } from '../jobs/job-store.ts'
import type { DuePullRequest, PullRequestStore } from '../jobs/pull-request-store.ts'
import type { WakeJob } from '../jobs/wake-job.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Log } from '../platform/log.ts'

/** As of every prompt. */
const maxCharacters = 50_000

/** A host may show the later of two comments first: what is this new is read again at the next look. */
const settledAfterMs = 120_000

export interface CommentDeps {
  jobs: Pick<JobStore, 'message'>
  pullRequests: PullRequestStore
  wakeJob: WakeJob
  log: Log
}

/**
 * What was read counts, however the look ends. One that dies half way reads the same again, and knows what it took. Whether
 * all that is there now was read.
 */
export async function readComments(
  deps: CommentDeps,
  due: DuePullRequest,
  host: CodeHost,
  signal: AbortSignal,
): Promise<boolean> {
  const { pullRequests } = deps
  const listed = await host.listComments(due.number, due.commentsSince)
  // What was changed since then is listed as well. It has been read: a comment counts once.
  const comments = listed.filter(({ createdAt }) => createdAt >= due.commentsSince)
  const known = await pullRequests.knownComments(
    due,
    comments.map(({ id }) => id),
  )
  const askWriter = askOnce((author) => host.mayWrite(author))
  const sinceMs = due.commentsSince.getTime()
  let readUntilMs = sinceMs
  let unread: PullRequestComment | undefined
  try {
    for (unread of comments) {
      if (signal.aborted) return false
      if (!known.has(unread.id) && (await take(deps, due, host, unread, askWriter)) === 'later') return false
      readUntilMs = Math.max(readUntilMs, Math.min(unread.createdAt.getTime() + 1, Date.now() - settledAfterMs))
    }
    unread = undefined
    return true
  } finally {
    // Another of the same moment may have been read.
    const untilMs = Math.min(readUntilMs, unread?.createdAt.getTime() ?? readUntilMs)
    if (untilMs > sinceMs) await pullRequests.recordCommentsRead(due, new Date(untilMs))
  }
}

type AskWriter = (author: string) => Promise<boolean | 'later'>

/** In one look: each author once, and not all of a crowd. */
const maxAuthors = 20

function askOnce(mayWrite: (author: string) => Promise<boolean>): AskWriter {
  const asked = new Map<string, boolean>()
  return async (author) => {
    const known = asked.get(author)
    if (known !== undefined) return known
    if (asked.size === maxAuthors) return 'later'
    const may = await mayWrite(author)
    asked.set(author, may)
    return may
  }
}

/** `later`: the look, the job, or the project's hour has no room for it now. Those behind it wait too, so that the order stays. */
async function take(
  { jobs, pullRequests, wakeJob, log }: CommentDeps,
  due: DuePullRequest,
  host: CodeHost,
  { id, author, isBot, text, url }: PullRequestComment,
  askWriter: AskWriter,
): Promise<'done' | 'later'> {
  const prompt = text.length <= maxCharacters ? askedInComment(text) : undefined
  if (isBot || prompt === undefined) return 'done'
  const mayWrite = await askWriter(author)
  if (mayWrite === 'later') return 'later'
  if (!mayWrite) {
    await pullRequests.refuseComment(due, { id, author, url })
    return 'done'
  }
  const { projectId, jobId } = due
  try {
    await jobs.message(
      projectId,
      jobId,
      { prompt, comment: { id, author, url } },
      { actor: { kind: 'code-host' }, idempotency: undefined, body: () => undefined },
    )
  } catch (error) {
    if (error instanceof CommentTaken) return 'done'
    if (!(error instanceof Problem)) throw error
    log.info({ jobId, comment: url, code: error.code }, 'a comment did not become a message')
    return error.code === 'queue_full' || error.code === 'rate_limited' ? 'later' : 'done'
  }
  await wakeJob(jobId)
  await host.acknowledgeComment(id).catch((error: unknown) => {
    log.info({ jobId, comment: url, error: String(error) }, 'could not show that a comment was read')
  })
  return 'done'
}
