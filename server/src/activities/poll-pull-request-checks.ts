/** Reads the CI checks of a pull request and the URL of its preview from the code host. */
import type { CodeHost, CommitId, HostCiCheck } from '../code-hosts/code-host.ts'
import { CodeHostError, isCodeHostErrorWithCode } from '../code-hosts/code-host-error.ts'
import { toLinkUrl } from '../code-hosts/preview-url.ts'
import type { CheckLogs, CiCheck, ObservedChecks } from '../jobs/ci-check.ts'
import type { DuePullRequest, PullRequestStore } from '../jobs/pull-request-store.ts'

/** Checks and previews may start late. After this time, and if none is pending, only a webhook causes another read. */
const watchMs = 60 * 60_000

const maxChecks = 100
const maxLogs = 5
const maxLogCharacters = 20_000
const maxSummaryCharacters = 1_000
const maxNameCharacters = 200

/** Returns the checks of the commit. */
export async function pollPullRequestChecks(
  pullRequests: PullRequestStore,
  due: DuePullRequest,
  host: CodeHost,
  head: CommitId,
): Promise<readonly CiCheck[]> {
  if (due.checks && isSettled(due.checks, head)) return due.checks.checks
  const { checks: allChecks, previewUrl } = await host.readChecks(head)
  const hostChecks = allChecks.toSorted((a, b) => rank[a.status] - rank[b.status]).slice(0, maxChecks)
  const { logs, rateLimitError } = await readLogs(host, hostChecks, due.checkLogs)
  const checks = hostChecks.map(({ id, name, status, url, summary }) => ({
    id,
    status,
    url: toLinkUrl(url),
    name: toPlainText(name).slice(0, maxNameCharacters).toWellFormed(),
    summary: summary && toPlainText(summary).slice(0, maxSummaryCharacters).toWellFormed(),
  }))
  await pullRequests.recordChecks(due, { commit: head, checks, logs, previewUrl: toLinkUrl(previewUrl) })
  if (rateLimitError) throw rateLimitError
  return checks
}

const rank: Readonly<Record<HostCiCheck['status'], number>> = { failed: 0, pending: 1, passed: 2 }

function isSettled(observed: ObservedChecks, head: CommitId): boolean {
  return (
    observed.commit === head &&
    observed.checks.every(({ status }) => status !== 'pending') &&
    Date.now() - Date.parse(observed.watchedSince) > watchMs
  )
}

/**
 * A log that cannot be read now does not prevent the checks from being shown, and is read at the next poll. After a rate limit no
 * further logs are requested.
 */
async function readLogs(
  host: CodeHost,
  checks: readonly HostCiCheck[],
  known: CheckLogs,
): Promise<{ logs: CheckLogs; rateLimitError: CodeHostError | undefined }> {
  const logs: Record<string, string | null> = {}
  for (const check of checks.filter(({ status }) => status === 'failed').slice(0, maxLogs)) {
    try {
      const log = known[check.id] ?? (await host.readCheckLog(check))
      logs[check.id] = log && toPlainText(log).slice(-maxLogCharacters).toWellFormed()
    } catch (error) {
      if (isCodeHostErrorWithCode(error, 'rate_limited')) return { logs, rateLimitError: error }
      if (!(error instanceof CodeHostError)) throw error
    }
  }
  return { logs, rateLimitError: undefined }
}

/** Removes terminal colors and control characters for people and agents. PostgreSQL cannot store NUL either. */
const toPlainText = (text: string): string =>
  text.replaceAll(terminalColors, '').replaceAll('\r\n', '\n').replaceAll(controls, '\ufffd')
const terminalColors = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*[A-Za-z]`, 'g')
const controls = /(?![\t\n])\p{Cc}/gu
