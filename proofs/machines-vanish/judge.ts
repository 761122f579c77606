/**
 * Compares everything that was acknowledged with the final state: the views that Colophon reports, its jobs, the branches and
 * pull requests on the code host, its database, and the workflows of Temporal.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import { RetryingClient } from '../../testing/harness/retrying-client.ts'
import {
  type HostedRepositoryState,
  readGiteaAuditTarget,
  readHostedRepositoryState,
} from '../judges/hosted-repository-state.ts'
import { listJobIds } from '../judges/planned-job.ts'
import type { DatabaseServer, VanishFixture } from './fixture.ts'
import type { Load, LoadProject, SentJob } from './load.ts'

export interface Verdict {
  viewsLost: number
  viewsDouble: number
  jobsLost: number
  jobsDouble: number
  /** From the last acknowledgement until all views were counted. */
  loadedAfterSeconds: number
}

export interface JudgeOptions {
  /** A primary with an asynchronous standby was lost: what it acknowledged in its last seconds may be missing. */
  mayLose?: boolean
  loadWithinSeconds: number
}

/** What the judge reads. */
export interface JudgedInstance extends Pick<VanishFixture, 'run' | 'replicas' | 'projects'> {
  services: Pick<VanishFixture['services'], 'addresses'>
  colophon: { addresses: VanishFixture['colophon']['addresses']; environment: Readonly<Record<string, string>> }
  database: Pick<DatabaseServer, 'query'>
  machines: readonly { name: string; process: { pid: number | undefined } }[]
}

const pageSize = 250
const maxExamples = 3

export async function judge(
  { run, colophon, services, database, machines, replicas, projects }: JudgedInstance,
  load: Load,
  name: string,
  { mayLose = false, loadWithinSeconds }: JudgeOptions,
): Promise<Verdict> {
  const check = (ok: boolean, message: string) => run.check(ok, `${name}: ${message}`)
  const client = new RetryingClient(
    replicas.map(({ url }) => ({ url, openWrites: 0 })),
    AbortSignal.timeout(120_000),
  )

  const unacknowledged = load.deliveries.filter(({ acknowledgedAtMs }) => acknowledgedAtMs === undefined)
  check(unacknowledged.length === 0, `every delivery is acknowledged in the end: ${unacknowledged.length} are not`)
  const unaccepted = load.jobs.filter(({ accepted }) => !accepted)
  check(unaccepted.length === 0, `every job is accepted in the end: ${unaccepted.length} are not`)
  check(load.unexpected.length === 0, `the only server error is 503: ${load.unexpected.length}, ${load.unexpected[0]}`)

  const startedAtMs = performance.now()
  const isLoaded = await waitUntil(loadWithinSeconds, async () => {
    const [row] = await database.query<{ waiting: boolean }>(
      'SELECT EXISTS (SELECT FROM view_batch) OR EXISTS (SELECT FROM view_block) AS waiting',
    )
    return row?.waiting === false
  })
  check(isLoaded, `all acknowledged views are loaded within ${loadWithinSeconds} s`)
  const loadedAfterSeconds = (performance.now() - startedAtMs) / 1000

  const views = { lost: 0, double: 0 }
  let examples = 0
  for (const project of projects) {
    const difference = compareViews(load, project.projectId, await readViews(client, project), mayLose)
    views.lost += difference.lost
    views.double += difference.double
    if (difference.example !== undefined && examples++ < maxExamples)
      check(false, `views are counted once: ${difference.example}`)
  }

  check(views.double === 0, `no view is counted twice: ${views.double}`)
  if (!mayLose) check(views.lost === 0, `no acknowledged view is lost: ${views.lost}`)

  const jobs = { lost: 0, double: 0 }
  for (const project of projects) {
    const ids = new Set(await listJobIds(client, project))
    const sent = load.jobs.filter((job) => job.project.projectId === project.projectId)
    for (const job of sent) if (job.accepted && !ids.delete(job.accepted.id)) job.isLost = true
    jobs.double += ids.size
    if (ids.size > 0) check(false, `an idempotency key means one job: ${[...ids].join(', ')} were created again`)
  }
  const lost = load.jobs.filter(({ isLost }) => isLost)
  jobs.lost = lost.length
  if (!mayLose)
    check(lost.length === 0, `no acknowledged job is lost: ${lost.map(({ accepted }) => accepted?.id).join(', ')}`)
  for (const job of load.jobs) {
    const problem = job.isLost ? undefined : describeProblem(job)
    if (problem) check(false, `every job ends as planned: ${job.accepted?.id}, number ${job.number}, ${problem}`)
  }

  for (const problem of await findDiffProblems(database, load)) check(false, `one diff per job: ${problem}`)
  for (const repository of new Set(projects.map((project) => project.repository))) {
    const host = await readHostedRepositoryState(await readGiteaAuditTarget(colophon.addresses.gitea, repository))
    const sent = load.jobs.filter(({ project }) => project.repository.name === repository.name)
    for (const problem of findPublishingProblems(sent, host)) check(false, `one pull request per job: ${problem}`)
  }

  const openAttempts = async () => {
    const rows = await database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM turn_attempt JOIN turn ON turn.id = turn_attempt.turn_id
       WHERE turn_attempt.ended_at IS NULL AND turn.status <> 'running'`,
    )
    return rows[0]?.count ?? 0
  }
  const hasNoOrphans = await waitUntil(20, async () => (await openAttempts()) === 0)
  check(hasNoOrphans, `no attempt of a turn that has ended stays open: ${hasNoOrphans ? 0 : await openAttempts()}`)

  const { temporalAddress } = services.addresses
  const namespace = colophon.environment.COLOPHON_TEMPORAL_NAMESPACE ?? ''
  const lostIds = new Set(lost.map(({ accepted }) => accepted?.id))
  const running = (await listRunningWorkflows(temporalAddress, namespace)).map((id) =>
    lostIds.has(id) ? `${id}, which is lost` : id,
  )
  check(running.length === 0, `when all jobs have ended, no workflow runs: ${running.slice(0, 5).join(', ')}`)
  check(client.serverErrors.length === 0, `the judge gets no server error but 503: ${client.serverErrors[0]}`)
  const exited = machines.filter(({ process }) => process.pid === undefined).map((machine) => machine.name)
  check(exited.length === 0, `no process exits by itself: ${exited.join(', ')}`)
  return {
    viewsLost: views.lost,
    viewsDouble: views.double,
    jobsLost: jobs.lost,
    jobsDouble: jobs.double,
    loadedAfterSeconds,
  }
}

async function waitUntil(withinSeconds: number, condition: () => Promise<boolean>): Promise<boolean> {
  const deadlineMs = performance.now() + withinSeconds * 1000
  while (!(await condition().catch(() => false))) {
    if (performance.now() > deadlineMs) return false
    await sleep(200)
  }
  return true
}

/** Views by path. */
async function readViews(client: RetryingClient, { projectId, key }: LoadProject): Promise<Map<string, number>> {
  const views = new Map<string, number>()
  for (let offset = 0; ; offset += pageSize) {
    const path = `/v1/analytics/${projectId}/views?aiScope=all&limit=${pageSize}&offset=${offset}`
    const { status, json } = await client.sendJson({ method: 'GET', path, key })
    if (status !== 200) throw new Error(`GET ${path} returned ${status}: ${JSON.stringify(json)}`)
    const page = json as { views: { path: string; total: number }[]; hasMore: boolean }
    for (const row of page.views) views.set(row.path, row.total)
    if (!page.hasMore) return views
  }
}

function compareViews(load: Load, projectId: string, actual: Map<string, number>, mayLose: boolean) {
  const difference: { lost: number; double: number; example: string | undefined } = {
    lost: 0,
    double: 0,
    example: undefined,
  }
  const rest = new Map(actual)
  for (const delivery of load.deliveries) {
    if (delivery.project.projectId !== projectId) continue
    const { path, acknowledgedAtMs, views: sent } = delivery
    const counted = rest.get(path) ?? 0
    rest.delete(path)
    const expected = acknowledgedAtMs === undefined || delivery.isLost ? Math.min(counted, sent) : sent
    if (counted === expected) continue
    if (counted > sent) difference.double += counted - sent
    else difference.lost += expected - counted
    if (mayLose && counted === 0) delivery.isLost = true
    else
      difference.example ??= `${path} of ${projectId} has ${counted} views, not ${expected}, after ${delivery.attempts} attempts`
  }
  for (const [path, counted] of rest) {
    difference.double += counted
    difference.example ??= `${path} of ${projectId} has ${counted} views that nobody sent`
  }
  return difference
}

function describeProblem({ ended, publish, mayBeCancelled }: SentJob): string | undefined {
  if (!ended) return 'is still active'
  const { status, outcome, error } = ended
  if (status === 'completed' && outcome === publish) return undefined
  if (mayBeCancelled && outcome === 'cancelled') return undefined
  return `is ${status} with the outcome ${outcome} and the error ${error}`
}

/** The page of the job, and nothing else. */
async function findDiffProblems(database: JudgedInstance['database'], load: Load): Promise<string[]> {
  const rows = await database.query<{ id: string; diff: string }>('SELECT id, diff FROM job WHERE diff IS NOT NULL')
  const diffs = new Map(rows.map(({ id, diff }) => [id, diff]))
  const jobs = load.jobs.filter(
    ({ publish, ended, isLost }) => publish === 'diff' && ended?.outcome === 'diff' && !isLost,
  )
  return jobs.flatMap(({ accepted, number }) => {
    const diff = diffs.get(accepted?.id ?? '') ?? ''
    const isExpected = diff.split('diff --git').length === 2 && diff.includes(`+# Job ${number}, turn 1\n`)
    return isExpected ? [] : [`${accepted?.id}, number ${number}: ${diff.slice(0, 300)}`]
  })
}

/** A lost job may have published its result before. It, too, has at most one pull request. */
function findPublishingProblems(sent: readonly SentJob[], host: HostedRepositoryState): string[] {
  const problems: string[] = []
  const unknownBranches = new Set(host.branches.keys())
  for (const job of sent) {
    const branch = `colophon/${job.accepted?.id}`
    unknownBranches.delete(branch)
    const pullRequests = host.pullRequests.filter((pullRequest) => pullRequest.branch === branch).length
    const commits = host.branches.get(branch)?.length ?? 0
    const max = job.publish === 'pull_request' ? 1 : 0
    const min = job.isLost || job.mayBeCancelled ? 0 : max
    if (pullRequests > max || pullRequests < min) problems.push(`${branch} has ${pullRequests} pull requests`)
    const maxCommits = max * (1 + job.followUps)
    if (commits > maxCommits || commits < (job.mayBeCancelled ? min : min * (1 + job.followUps)))
      problems.push(`${branch} has ${commits} commits instead of ${maxCommits}`)
  }
  for (const branch of unknownBranches) problems.push(`${branch} belongs to no job`)
  return problems
}

/** Temporal lists workflows with a delay. */
async function listRunningWorkflows(address: string, namespace: string): Promise<string[]> {
  const connection = await Connection.connect({ address })
  try {
    const client = new Client({ connection, namespace })
    let running: string[] = []
    await waitUntil(60, async () => {
      running = []
      for await (const { workflowId } of client.workflow.list({ query: "ExecutionStatus = 'Running'" }))
        running.push(workflowId)
      return running.length === 0
    })
    return running
  } finally {
    await connection.close()
  }
}
