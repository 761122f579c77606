/** Compares what was acknowledged with what a restored instance has. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConnectedProject } from '../../testing/harness/colophon.ts'
import { RetryingClient } from '../../testing/harness/retrying-client.ts'
import type { GiteaAccess } from '../../testing/services/start-gitea.ts'
import { readGiteaAuditTarget, readHostedRepositoryState } from '../judges/hosted-repository-state.ts'
import { type JobResponse, listJobIds, readJob } from '../judges/planned-job.ts'
import { type Load, type SentDelivery, type SentJob, viewsPerDelivery } from '../machines-vanish/load.ts'
import type { ProofRun } from '../proof.ts'

/** Of `performance.now()`. */
export interface Moments {
  postgresMs: number
  clickhouseMs: number
}

export interface JudgedInstance {
  run: ProofRun
  name: string
  apiUrl: string
  gitea: GiteaAccess
  projects: readonly ConnectedProject[]
  load: Load
  moments: Moments
  /** Sent again to this instance, with the same idempotency key. */
  repeated: ReadonlySet<SentDelivery>
  /** Whether views wait for ClickHouse. */
  isWaiting(): Promise<boolean>
}

export interface Outcome {
  viewsKept: number
  viewsLost: number
  jobsKept: number
  jobsLost: number
}

/** A snapshot is taken within this time after its moment. */
const snapshotMs = 1_000
/** Views are loaded within this time, on a machine that has other work. */
const loadMs = 10_000
const pageSize = 250

export async function judge(instance: JudgedInstance, withinSeconds: number): Promise<Outcome> {
  const { run, name, apiUrl, load, projects } = instance
  const check = (ok: boolean, message: string) => run.check(ok, `${name}: ${message}`)
  const client = new RetryingClient([{ url: apiUrl, openWrites: 0 }], AbortSignal.timeout((withinSeconds + 120) * 1000))
  const outcome: Outcome = { viewsKept: 0, viewsLost: 0, jobsKept: 0, jobsLost: 0 }

  const jobs = await waitForJobs(client, projects, withinSeconds)
  const active = [...jobs.values()].filter(({ status }) => status === 'active')
  check(
    active.length === 0,
    `every job ends within ${withinSeconds} s: ${active.map(({ id }) => id).join(', ')} are active`,
  )
  for (const job of load.jobs.filter(({ accepted }) => accepted)) {
    const found = jobs.get(job.accepted?.id ?? '')
    if (found) outcome.jobsKept++
    else outcome.jobsLost++
    const problem = describeJobProblem(job, found, instance.moments)
    if (problem) check(false, `${problem}: job ${job.number}, ${job.accepted?.id}`)
  }
  for (const repository of new Set(projects.map((project) => project.repository))) {
    const host = await readHostedRepositoryState(await readGiteaAuditTarget(instance.gitea, repository))
    for (const job of load.jobs.filter(({ project }) => project.repository.name === repository.name)) {
      const branch = `colophon/${job.accepted?.id}`
      const pullRequests = host.pullRequests.filter((pullRequest) => pullRequest.branch === branch).length
      const commits = host.branches.get(branch)?.length ?? 0
      const isKept = job.accepted !== undefined && jobs.has(job.accepted.id)
      const min = isKept && job.publish === 'pull_request' ? 1 : 0
      check(
        pullRequests <= 1 && commits <= 1,
        `no duplicate pull request or commit: ${branch} has ${pullRequests}, ${commits}`,
      )
      check(pullRequests >= min, `a job that ends has its pull request: ${branch}`)
    }
  }

  const loadedByMs = performance.now() + 60_000
  while ((await instance.isWaiting()) && performance.now() < loadedByMs) await sleep(500)
  for (const project of projects) {
    const views = await readViews(client, project)
    for (const delivery of load.deliveries.filter((sent) => sent.project.projectId === project.projectId)) {
      const counted = views.get(delivery.path) ?? 0
      views.delete(delivery.path)
      outcome.viewsKept += Math.min(counted, viewsPerDelivery)
      if (delivery.acknowledgedAtMs !== undefined) outcome.viewsLost += Math.max(0, viewsPerDelivery - counted)
      const problem = describeViewsProblem(delivery, counted, instance)
      if (problem) check(false, `${problem}: ${delivery.path} has ${counted}`)
    }
    check(views.size === 0, `no view that nobody sent: ${[...views.keys()].slice(0, 3).join(', ')}`)
  }
  check(client.serverErrors.length === 0, `the only server error is 503: ${client.serverErrors[0]}`)
  return outcome
}

function describeJobProblem(job: SentJob, found: JobResponse | undefined, { postgresMs }: Moments): string | undefined {
  if (!found) return (job.accepted?.atMs ?? 0) < postgresMs ? 'no job from before the moment is lost' : undefined
  if (job.sentAtMs > postgresMs + snapshotMs) return 'no job from after the moment is in the backup'
  const { status, outcome, error } = found
  if (status === 'active' || (status === 'completed' && outcome === job.publish)) return undefined
  // It was published after the moment, ran again, and its new result conflicts with what is on its branch.
  if (error?.code === 'branch_moved' && (job.ended?.atMs ?? 0) > postgresMs) return undefined
  return `every job ends as planned, not ${status} with the outcome ${outcome} and the error ${error?.code}`
}

/** Undefined: as it must be. Views between two moments are in one of the databases, in none, but never in both. */
function describeViewsProblem(
  delivery: SentDelivery,
  counted: number,
  { moments: { postgresMs, clickhouseMs }, repeated }: JudgedInstance,
): string | undefined {
  const { acknowledgedAtMs = Number.POSITIVE_INFINITY, sentAtMs } = delivery
  const isRepeated = repeated.has(delivery)
  if (counted > viewsPerDelivery) return 'no view is counted twice'
  if (counted !== 0 && counted !== viewsPerDelivery) return 'the views of a delivery stay together'
  // What ClickHouse had not received at its moment is lost if PostgreSQL had forgotten it at its own.
  const keptUntilMs = clickhouseMs < postgresMs ? clickhouseMs - loadMs : postgresMs
  if (counted === 0 && (acknowledgedAtMs < keptUntilMs || isRepeated)) return 'no view from before the moment is lost'
  const lostFromMs = Math.max(postgresMs, clickhouseMs) + snapshotMs
  if (counted > 0 && sentAtMs > lostFromMs && !isRepeated) return 'no view from after the moment is in the backup'
  return undefined
}

/** When all have ended, or the time is over. */
async function waitForJobs(
  client: RetryingClient,
  projects: readonly ConnectedProject[],
  withinSeconds: number,
): Promise<Map<string, JobResponse>> {
  const deadlineMs = performance.now() + withinSeconds * 1000
  const jobs = new Map<string, JobResponse>()
  for (const project of projects)
    for (const id of await listJobIds(client, project)) {
      let job = await readJob(client, project, id)
      while (job.status === 'active' && performance.now() < deadlineMs) {
        await sleep(1_000)
        job = await readJob(client, project, id)
      }
      jobs.set(id, job)
    }
  return jobs
}

/** Views by path. */
async function readViews(client: RetryingClient, { projectId, key }: ConnectedProject): Promise<Map<string, number>> {
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
