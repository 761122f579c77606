/** Compares a job with its plan: what the service says of it, and what stands on the code host. */
import { type FileIds, fileIdOf, type HostState } from './host-audit.ts'
import type { JobPlan, TurnPlan } from './job-plans.ts'
import type { JobResponse, TurnResponse } from './played-job.ts'

export const faults = [
  'lost',
  'still active',
  'wrong end',
  'wrong tree',
  'duplicate job',
  'duplicate commit',
  'duplicate pull request',
  'stray branch',
] as const
export type Fault = (typeof faults)[number]

export interface Finding {
  fault: Fault
  what: string
}

export function judgeJob(
  plan: JobPlan,
  prompts: readonly string[],
  { job, turns }: { job: JobResponse; turns: readonly TurnResponse[] },
  host: HostState,
): Finding[] {
  if (job.status === 'active') return [{ fault: 'still active', what: describe(turns) }]
  const findings: Finding[] = []
  const expect = (holds: boolean, fault: Fault, what: string) => void (holds || findings.push({ fault, what }))

  const isAsSent = turns.length === prompts.length && turns.every(({ prompt }, index) => prompt === prompts[index])
  expect(isAsSent, 'wrong end', `its turns are not the ${prompts.length} that were sent: ${describe(turns)}`)
  for (const [index, turn] of turns.entries()) {
    const planned = plan.turns[index]
    const isCancelled = plan.cancelAfterSeconds !== undefined && turn.outcome === 'cancelled'
    expect(
      isCancelled || (planned !== undefined && endedAs(planned, turn)),
      'wrong end',
      `planned ${planned?.ends}: ${describe([turn])}`,
    )
  }
  expect(isEndOf(job, turns), 'wrong end', `${job.status}, ${job.outcome}, ${job.error?.code}: ${describe(turns)}`)

  const published = plan.turns.filter((_, index) => turns[index]?.outcome === 'pull_request')
  findings.push(...judgePublished(job, published, host))
  return findings
}

function endedAs({ ends }: TurnPlan, { status, outcome, error }: TurnResponse): boolean {
  switch (ends) {
    case 'pull_request':
    case 'no_changes':
      return status === 'completed' && outcome === ends
    case 'agent_failed':
    case 'result_refused':
      return status === 'failed' && outcome === 'error' && error?.code === ends
  }
}

/** A job ends as its last turn; messages that were dropped may have been its end, or what was published before. */
function isEndOf(job: JobResponse, turns: readonly TurnResponse[]): boolean {
  const last = turns.findLast(({ status }) => status !== 'dropped')
  const isAs = (status: JobResponse['status'], outcome: string | null | undefined, code: string | undefined) =>
    job.status === status && job.outcome === outcome && job.error?.code === code
  const wasCutShort = turns.some(({ status }) => status === 'dropped')
  if (wasCutShort && isAs('failed', 'cancelled', undefined)) return true
  return isAs(last?.status === 'completed' ? 'completed' : 'failed', last?.outcome, last?.error?.code)
}

function judgePublished(job: JobResponse, published: readonly TurnPlan[], host: HostState): Finding[] {
  const findings: Finding[] = []
  const expect = (holds: boolean, fault: Fault, what: string) => void (holds || findings.push({ fault, what }))
  const { pullRequest } = job
  if (!pullRequest || published.length === 0) {
    expect(!pullRequest && published.length === 0, 'wrong end', `${published.length} turns, ${pullRequest?.url}`)
    return findings
  }
  expect(job.prLink === pullRequest.url, 'wrong end', `prLink is ${job.prLink}`)
  const opened = host.pullRequests.filter(({ branch }) => branch === pullRequest.branch)
  expect(opened.length <= 1, 'duplicate pull request', opened.map(({ number }) => number).join(', '))
  expect(
    opened[0]?.number === pullRequest.number,
    'wrong end',
    `#${pullRequest.number}, on the host #${opened[0]?.number}`,
  )

  const commits = host.branches.get(pullRequest.branch) ?? []
  expect(
    commits.length <= published.length,
    'duplicate commit',
    `${commits.length} commits of ${published.length} turns`,
  )
  for (const [index, { script }] of published.entries()) {
    const written = Object.entries(script.write ?? {}).map(([path, contents]) => [path, fileIdOf(contents)])
    const expected = { ...commits[index]?.filesBefore, ...Object.fromEntries(written) }
    expect(isSame(commits[index]?.files, expected), 'wrong tree', `commit ${index + 1} of ${published.length}`)
  }
  return findings
}

function isSame(found: FileIds | undefined, expected: FileIds): boolean {
  const paths = Object.keys(expected)
  return paths.length === Object.keys(found ?? {}).length && paths.every((path) => found?.[path] === expected[path])
}

const describe = (turns: readonly TurnResponse[]) =>
  turns
    .map(({ number, status, outcome, error }) => `turn ${number} ${status} ${outcome} ${error?.code ?? ''}`)
    .join('; ')
