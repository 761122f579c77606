/** What the code host's own checks say about a pull request, and where a preview of it is. */
import type { CodeHost, CommitId, HostCheck } from '../code-hosts/code-host.ts'
import { CodeHostError, isCodeHostError } from '../code-hosts/code-host-error.ts'
import { asLink } from '../code-hosts/preview-of-checks.ts'
import type { CheckLogs, SeenChecks } from '../jobs/host-check.ts'
import type { DuePullRequest, PullRequestStore } from '../jobs/pull-request-store.ts'

/** Checks and previews of a commit may begin late. After this, and when none is under way, only a hint makes us ask again. */
const watchedForMs = 60 * 60_000

const maxChecks = 100
const maxLogs = 5
const maxLogCharacters = 20_000
const maxSummaryCharacters = 1_000
const maxNameCharacters = 200

export async function readChecks(
  pullRequests: PullRequestStore,
  due: DuePullRequest,
  host: CodeHost,
  head: CommitId,
): Promise<void> {
  if (isSettled(due.seen, head)) return
  const { checks: found, previewUrl } = await host.readChecks(head)
  const checks = found.toSorted((one, other) => rank[one.status] - rank[other.status]).slice(0, maxChecks)
  const { logs, limit } = await readLogs(host, checks, due.logs)
  await pullRequests.recordChecks(due, {
    commit: head,
    checks: checks.map(({ id, name, status, url, summary }) => ({
      id,
      status,
      url: asLink(url),
      name: plain(name).slice(0, maxNameCharacters).toWellFormed(),
      summary: summary && plain(summary).slice(0, maxSummaryCharacters).toWellFormed(),
    })),
    logs,
    previewUrl: asLink(previewUrl),
  })
  if (limit) throw limit
}

const rank: Readonly<Record<HostCheck['status'], number>> = { failed: 0, pending: 1, passed: 2 }

function isSettled(seen: SeenChecks | null, head: CommitId): boolean {
  return (
    seen?.commit === head &&
    seen.checks.every(({ status }) => status !== 'pending') &&
    Date.now() - Date.parse(seen.watchedSince) > watchedForMs
  )
}

/**
 * One that cannot be read now keeps no check from being shown, and is asked for at the next look. A host that wants to be
 * left alone is asked for no more of them.
 */
async function readLogs(
  host: CodeHost,
  checks: readonly HostCheck[],
  known: CheckLogs,
): Promise<{ logs: CheckLogs; limit: CodeHostError | undefined }> {
  const logs: Record<string, string | null> = {}
  for (const check of checks.filter(({ status }) => status === 'failed').slice(0, maxLogs)) {
    try {
      const log = known[check.id] ?? (await host.readCheckLog(check))
      logs[check.id] = log && plain(log).slice(-maxLogCharacters).toWellFormed()
    } catch (error) {
      if (isCodeHostError(error, 'rate_limited')) return { logs, limit: error }
      if (!(error instanceof CodeHostError)) throw error
    }
  }
  return { logs, limit: undefined }
}

/** For people and agents to read; and PostgreSQL keeps no NUL. */
const plain = (text: string): string =>
  text.replaceAll(terminalColours, '').replaceAll('\r\n', '\n').replaceAll(controls, '\ufffd')
const terminalColours = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*[A-Za-z]`, 'g')
const controls = /(?![\t\n])\p{Cc}/gu
