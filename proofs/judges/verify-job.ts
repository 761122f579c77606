/** Compares a job with its plan: the job in the API, and its branch and pull request on the code host. */
import { type BlobIds, gitBlobId, type HostedRepositoryState } from './hosted-repository-state.ts'
import type { JobPlan, TurnPlan } from './job-plans.ts'
import type { JobResponse, TurnResponse } from './planned-job.ts'

export const jobFaultKinds = [
  'lost job',
  'still active',
  'wrong outcome',
  'wrong files',
  'duplicate job',
  'duplicate commit',
  'duplicate pull request',
  'unexpected branch',
] as const
export type JobFaultKind = (typeof jobFaultKinds)[number]

export interface JobFaultFinding {
  fault: JobFaultKind
  detail: string
}

export function verifyJob(
  plan: JobPlan,
  prompts: readonly string[],
  { job, turns }: { job: JobResponse; turns: readonly TurnResponse[] },
  host: HostedRepositoryState,
): JobFaultFinding[] {
  if (job.status === 'active') return [{ fault: 'still active', detail: describe(turns) }]
  const findings: JobFaultFinding[] = []
  const expect = (ok: boolean, fault: JobFaultKind, detail: string) => void (ok || findings.push({ fault, detail }))

  const areTurnsAsSent =
    turns.length === prompts.length && turns.every(({ prompt }, index) => prompt === prompts[index])
  expect(areTurnsAsSent, 'wrong outcome', `${prompts.length} messages were sent, but its turns are ${describe(turns)}`)
  for (const [index, turn] of turns.entries()) {
    const planned = plan.turns[index]
    const isCancelled = plan.cancelAfterSeconds !== undefined && turn.outcome === 'cancelled'
    expect(
      isCancelled || (planned !== undefined && endedAsPlanned(planned, turn)),
      'wrong outcome',
      `expected ${planned?.expectedOutcome}: ${describe([turn])}`,
    )
  }
  expect(
    endedAsLastTurn(job, turns),
    'wrong outcome',
    `${job.status}, ${job.outcome}, ${job.error?.code}: ${describe(turns)}`,
  )

  const published = plan.turns.filter((_, index) => turns[index]?.outcome === 'pull_request')
  findings.push(...verifyPublished(job, published, host))
  return findings
}

function endedAsPlanned({ expectedOutcome }: TurnPlan, { status, outcome, error }: TurnResponse): boolean {
  switch (expectedOutcome) {
    case 'pull_request':
    case 'no_changes':
      return status === 'completed' && outcome === expectedOutcome
    case 'agent_failed':
    case 'result_refused':
      return status === 'failed' && outcome === 'error' && error?.code === expectedOutcome
  }
}

/**
 * A job has the outcome of its last turn. If messages were dropped, it is either cancelled or has the outcome of the turn
 * before.
 */
function endedAsLastTurn(job: JobResponse, turns: readonly TurnResponse[]): boolean {
  const last = turns.findLast(({ status }) => status !== 'dropped')
  const matches = (status: JobResponse['status'], outcome: string | null | undefined, code: string | undefined) =>
    job.status === status && job.outcome === outcome && job.error?.code === code
  const hasDroppedMessages = turns.some(({ status }) => status === 'dropped')
  if (hasDroppedMessages && matches('failed', 'cancelled', undefined)) return true
  return matches(last?.status === 'completed' ? 'completed' : 'failed', last?.outcome, last?.error?.code)
}

function verifyPublished(
  job: JobResponse,
  published: readonly TurnPlan[],
  host: HostedRepositoryState,
): JobFaultFinding[] {
  const findings: JobFaultFinding[] = []
  const expect = (ok: boolean, fault: JobFaultKind, detail: string) => void (ok || findings.push({ fault, detail }))
  const { pullRequest } = job
  if (!pullRequest || published.length === 0) {
    expect(
      !pullRequest && published.length === 0,
      'wrong outcome',
      `${published.length} published turns, pull request ${pullRequest?.url ?? 'none'}`,
    )
    return findings
  }
  expect(job.prLink === pullRequest.url, 'wrong outcome', `prLink is ${job.prLink}`)
  const opened = host.pullRequests.filter(({ branch }) => branch === pullRequest.branch)
  expect(
    opened.length <= 1,
    'duplicate pull request',
    `${opened.map(({ number }) => `#${number}`).join(', ')} for ${pullRequest.branch}`,
  )
  expect(
    opened[0]?.number === pullRequest.number,
    'wrong outcome',
    `pull request #${pullRequest.number}, but #${opened[0]?.number} on the code host`,
  )

  const commits = host.branches.get(pullRequest.branch) ?? []
  expect(
    commits.length <= published.length,
    'duplicate commit',
    `${commits.length} commits for ${published.length} published turns`,
  )
  for (const [index, { script }] of published.entries()) {
    const written = Object.entries(script.write ?? {}).map(([path, contents]) => [path, gitBlobId(contents)])
    const expected = { ...commits[index]?.parentFiles, ...Object.fromEntries(written) }
    expect(haveSameFiles(commits[index]?.files, expected), 'wrong files', `commit ${index + 1} of ${published.length}`)
  }
  return findings
}

function haveSameFiles(actual: BlobIds | undefined, expected: BlobIds): boolean {
  const paths = Object.keys(expected)
  return paths.length === Object.keys(actual ?? {}).length && paths.every((path) => actual?.[path] === expected[path])
}

const describe = (turns: readonly TurnResponse[]) =>
  turns
    .map(({ number, status, outcome, error }) => `turn ${number} ${status} ${outcome} ${error?.code ?? ''}`)
    .join('; ')
